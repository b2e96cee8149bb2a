"""Who is signed in by Drawbridge at a website: for WSGI, ASGI, and whatever can show a request's header fields.

`Site` is the core; `drawbridge_site.wsgi.Guard` and `drawbridge_site.asgi.Guard` put it in front of an application.
"""

from .answers import Answer
from .demand import SIGN_OUT_FORM
from .jws import Refused
from .memory import Memory
from .outage import Unavailable
from .request import Request
from .settings import ConfigurationError, Settings
from .site import Site
from .user import Identity, User

__version__ = "0.2.0"
__all__ = ["Answer", "ConfigurationError", "Identity", "Memory", "Refused", "Request", "SIGN_OUT_FORM", "Settings", "Site",
           "Unavailable", "User"]
