// scene/schema/schema.h
// The scene format as tables: one row a key, one table a map. The same rows drive the reader, its
// errors, the JSON Schema, the reference in docs/scene.md and the starter scene.
//
// A table reads a map into a C struct: each row says where its value goes. The structs of tables
// with a size start with `const cn_yaml *node`, the map they were read from; a table of size 0 is a
// part of the struct of the table that names it (time: {step: ...} goes into the scene's own
// struct). Keys that are not given leave what `initial` set, which is also what the documents call
// the default.
//
// To add a key: one row. To add a kind of value: one cn_kind in scene/kinds*.c.
#ifndef CAIRN_SCENE_SCHEMA_SCHEMA_H
#define CAIRN_SCENE_SCHEMA_SCHEMA_H

#include <cairn/model.h>

#include "base/signal.h"
#include "io/json.h"
#include "io/yaml.h"
#include "system/script.h"

typedef struct cn_field cn_field;
typedef struct cn_table cn_table;

// What a reading needs. Everything read lives in memory.
typedef struct cn_reader {
    cn_arena *memory;
    cn_error *error;
    int32_t dim;             // of the scene
    const char *file;        // the scene's own; files named in --set are relative to its folder
    cn_signal_scope outputs; // of the scene's controllers, for expressions
} cn_reader;

#define CN_DEFAULT_MAX 128 // bytes of a default as text

// How values of a kind are read and described.
typedef struct cn_kind {
    const char *what; // "a number", for errors and documents
    cn_status (*read)(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out);
    void (*json)(cn_json *json, const cn_field *field); // the members of its JSON Schema
    // The default as YAML text; false when there is none. NULL: never.
    bool (*print)(const cn_field *field, int32_t dim, const void *value, char text[CN_DEFAULT_MAX]);
} cn_kind;

typedef struct cn_choice {
    const char *text; // NULL ends the list
    int32_t value;
    bool later; // a name of the contract that does nothing yet
} cn_choice;

// cn_field.flags
enum {
    CN_REQUIRED = 1,
    CN_ABOVE_ZERO = 2,     // numbers > 0
    CN_NOT_BELOW_ZERO = 4, // numbers >= 0
    CN_RANGE = 8,          // numbers in [min, max]
    CN_ONLY_2D = 16,       // 3D scenes do not have this key
    CN_ONLY_3D = 32,       // 2D scenes do not
    CN_VARIANT = 64,       // exactly one of these keys must be given
    CN_UNIT_LENGTH = 128   // a vector that is normalised and must not be null
};

struct cn_field {
    const char *key;
    const cn_kind *kind;
    size_t offset;
    uint32_t flags;
    double min, max;                       // CN_RANGE
    int32_t count;                         // of a list of fixed length; 0: any
    const cn_table *table;                 // kinds that hold maps
    const cn_choice *choice;               // kinds that choose among words
    const char *(*name_at)(int32_t index); // kinds that choose a row of a C table; NULL ends
    const char *unit, *help;
};

struct cn_table {
    const char *name; // of the definition in the JSON Schema, and heading in the reference
    const char *help;
    const cn_field *field;
    int32_t count;
    size_t size;                             // of the struct; 0: a part of another's
    void (*initial)(void *out, int32_t dim); // the defaults; NULL: zeros
    bool brief;                              // the first field's value may stand for the whole map
    size_t variant; // where the index of the CN_VARIANT given goes (int32_t)
    // What no single row can check; may change the node to what it stands for (a file's content).
    cn_status (*check)(cn_reader *reader, cn_yaml *node, void *out);
    const void *use; // what the room does with it: a cn_generator
};

// A row: its key, its kind (cn_kind_...), where the value goes, and what else there is to say.
#define CN_KEY(name, of_kind, type, member, ...)                                                   \
    { .key = name, .kind = &cn_kind_##of_kind, .offset = offsetof(type, member), __VA_ARGS__ }

#define CN_COUNT(array) ((int32_t)(sizeof(array) / sizeof(array)[0]))

// Reads a map (or what stands for it) into out, which has the table's size.
cn_status cn_table_read(cn_reader *reader, const cn_table *table, cn_yaml *node, void *out);
cn_status cn_field_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out);
// The row of a key, whatever the dimension; NULL: none.
const cn_field *cn_table_field(const cn_table *table, const char *key);
bool cn_field_in(const cn_field *field, int32_t dim); // whether scenes of this dimension have it
// A struct of the table with its defaults; NULL: no memory.
void *cn_table_initial(cn_arena *memory, const cn_table *table, int32_t dim);

// ---- failing at a node ----

cn_status cn_fail_node(cn_reader *reader, const cn_yaml *node, cn_status status, const char *format,
                       ...) CN_PRINTF(4, 5);
// "tolerance must be a number, not "abc"", with a hint where one is known.
cn_status cn_fail_kind(cn_reader *reader, const cn_field *field, const cn_yaml *node);
// A hint "did you mean" for word among names, if one is near.
void cn_hint_nearest(cn_reader *reader, const char *word, const char *const *names, int32_t count);

// ---- the kinds ----

extern const cn_kind cn_kind_real;         // double
extern const cn_kind cn_kind_int;          // int32_t
extern const cn_kind cn_kind_seed;         // int64_t, 0 .. 2^53
extern const cn_kind cn_kind_bool;         // bool
extern const cn_kind cn_kind_text;         // const char *
extern const cn_kind cn_kind_choice;       // int32_t
extern const cn_kind cn_kind_choices;      // uint32_t, the values or-ed
extern const cn_kind cn_kind_name;         // const char *, a row of a C table
extern const cn_kind cn_kind_names;        // cn_words, or const char *[count] when count is set
extern const cn_kind cn_kind_vector;       // double[3], dim numbers
extern const cn_kind cn_kind_counts;       // int32_t[3], dim whole numbers
extern const cn_kind cn_kind_quaternion;   // double[4]
extern const cn_kind cn_kind_spin;         // double[3]; 2D: a number, into [2]
extern const cn_kind cn_kind_inertia;      // double[9]; 2D: a number, into [8]
extern const cn_kind cn_kind_range;        // double[2], a number or [low, high]
extern const cn_kind cn_kind_corners;      // double[6], two points
extern const cn_kind cn_kind_reals;        // cn_reals
extern const cn_kind cn_kind_points;       // cn_reals, dim numbers each
extern const cn_kind cn_kind_faces;        // cn_faces
extern const cn_kind cn_kind_signal;       // cn_signal_def; the row's table is cn_signal_table
extern const cn_kind cn_kind_signals;      // cn_signal_def[3]; likewise
extern const cn_kind cn_kind_spin_signals; // cn_signal_def[3]; 2D: one, into [2]
extern const cn_kind cn_kind_table;        // a map, into the struct at the offset
extern const cn_kind cn_kind_boxed;        // a map, into a struct of its own: void *
extern const cn_kind cn_kind_list;         // a list of maps: cn_items
extern const cn_kind cn_kind_one_or_list;  // a map or a list of maps: cn_items
extern const cn_kind cn_kind_dictionary;   // a map of names to maps: cn_items
extern const cn_kind cn_kind_formula;      // cn_script_text
extern const cn_kind cn_kind_formulas;     // cn_script_list
extern const cn_kind cn_kind_formula_rows; // cn_formula_matrix
extern const cn_kind cn_kind_matrix;       // cn_matrix
extern const cn_kind cn_kind_assignments;  // cn_script_names
extern const cn_kind cn_kind_later;        // nothing yet

extern const cn_table cn_signal_table;

typedef struct cn_words {
    const char **text;
    int32_t count;
} cn_words;

typedef struct cn_reals {
    double *value;
    int32_t count; // of numbers, or of points
} cn_reals;

typedef struct cn_faces {
    int32_t *size, *index;
    int32_t count;
} cn_faces;

typedef struct cn_formula_matrix {
    cn_script_text *of; // by rows
    int32_t rows, cols; // 0: not given
} cn_formula_matrix;

typedef struct cn_matrix {
    double *value; // by rows
    int32_t rows, cols;
} cn_matrix;

typedef struct cn_items {
    void *item;          // structs of the table
    const cn_yaml *node; // the list or map; NULL: not given
    int32_t count;
} cn_items;

// ---- from the tables ----

// JSON Schema (draft-07) of root and all that it names.
bool cn_schema_json(const cn_table *root, cn_arena *memory, cn_buffer *out);
// The reference tables of docs/scene.md, in Markdown.
bool cn_schema_markdown(const cn_table *root, cn_arena *memory, cn_buffer *out);
// Puts the defaults of root's own keys, and of the parts of its struct, where the tree lacks them.
cn_status cn_schema_fill(cn_reader *reader, const cn_table *root, cn_yaml *tree);

#endif
