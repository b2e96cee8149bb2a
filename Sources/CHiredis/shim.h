// The wire codec only: parsing replies and formatting commands. The transport is not hiredis's.
#include <hiredis/hiredis.h>
#include <hiredis/read.h>
