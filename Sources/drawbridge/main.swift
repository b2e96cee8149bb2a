import ArgumentParser
import BridgeHTTP
import SQLStorage
import Federation
print("placeholder")
