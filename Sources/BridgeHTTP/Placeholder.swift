import Hummingbird
import HummingbirdTLS
import Mustache
import ServiceLifecycle
import Bridge
import OAuth2
