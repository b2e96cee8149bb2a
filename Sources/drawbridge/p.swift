import Configuration
import Yams
import ArgumentParser
