import JWTKit
import AsyncHTTPClient
import Bridge
