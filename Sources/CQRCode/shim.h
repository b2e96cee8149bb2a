// Linked statically, by the archive's name: the binary needs no library of it where it runs.
#include <qrcodegen/qrcodegen.h>
#include <stddef.h>

// Swift does not import the macro, which is made with another.
static const size_t qrcodegen_buffer_length = qrcodegen_BUFFER_LEN_MAX;
