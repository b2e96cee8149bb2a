import GRDB
import Bridge
