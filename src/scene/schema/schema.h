// scene/schema/schema.h
// The scene format as tables: one row a key, one table a map. The same rows drive the reader, its
// errors, the JSON Schema, the reference in docs/reference/scene.md and the starter scene.
//
// A table reads a map into a C struct: each row says where its value goes. The structs of tables
// with a size start with `const io_yaml *node`, the map they were read from; a table of size 0 is a
// part of the struct of the table that names it (time: {step: ...} goes into the scene's own
// struct). Keys that are not given leave what `initial` set, which is also what the documents call
// the default.
//
// To add a key: one row. To add a kind of value: one scene_kind in scene/kinds*.c.
#ifndef CAIRN_SCENE_SCHEMA_SCHEMA_H
#define CAIRN_SCENE_SCHEMA_SCHEMA_H

#include <cairn/model.h>

#include "base/signal/signal.h"
#include "io/json.h"
#include "io/yaml/yaml.h"
#include "system/script.h"

typedef struct scene_field scene_field;
typedef struct scene_table_of scene_table_of;

// What a reading needs. Everything read lives in memory.
typedef struct scene_reader {
    cn_arena *memory;
    cn_error *error;
    int32_t dim;               // of the scene
    const char *file;          // the scene's own; files named in --set are relative to its folder
    base_signal_scope outputs; // of the scene's controllers, for expressions
    base_inputs inputs;        // that expressions may name
    bool expand;               // the model keeps the text of what was built, not of what was read
    const char *expanded_name; // of the scene, then
} scene_reader;

#define SCENE_DEFAULT_MAX 128 // bytes of a default as text

// How values of a kind are read and described.
typedef struct scene_kind {
    const char *what; // "a number", for errors and documents
    cn_status (*read)(scene_reader *reader, const scene_field *field, io_yaml *node, void *out);
    void (*json)(io_json *json, const scene_field *field); // the members of its JSON Schema
    // The default as YAML text; false when there is none. NULL: never.
    bool (*print)(const scene_field *field, int32_t dim, const void *value,
                  char text[SCENE_DEFAULT_MAX]);
} scene_kind;

typedef struct scene_choice {
    const char *text; // NULL ends the list
    int32_t value;
    bool later; // a name of the contract that does nothing yet
} scene_choice;

// scene_field.flags
enum {
    SCENE_REQUIRED = 1,
    SCENE_ABOVE_ZERO = 2,     // numbers > 0
    SCENE_NOT_BELOW_ZERO = 4, // numbers >= 0
    BASE_RANGE = 8,           // numbers in [min, max]
    SCENE_ONLY_2D = 16,       // 3D scenes do not have this key
    SCENE_ONLY_3D = 32,       // 2D scenes do not
    SCENE_VARIANT = 64,       // exactly one of these keys must be given
    SCENE_UNIT_LENGTH = 128,  // a vector that is normalised and must not be null
    SCENE_SHARED = 256        // the same in several tables: the reference has it in the first only
};

struct scene_field {
    const char *key;
    const scene_kind *kind;
    size_t offset;
    uint32_t flags;
    double min, max;                       // BASE_RANGE
    int32_t count;                         // of a list of fixed length; 0: any
    const scene_table_of *table;           // kinds that hold maps
    const scene_choice *choice;            // kinds that choose among words
    const char *(*name_at)(int32_t index); // kinds that choose a row of a C table; NULL ends
    const char *const (*alias)[2];         // other words for its names: {word, name}; NULL ends
    const char *unit, *help;
};

struct scene_table_of {
    const char *name; // of the definition in the JSON Schema, and heading in the reference
    const char *help;
    const scene_field *field;
    int32_t count;
    size_t size;                             // of the struct; 0: a part of another's
    void (*initial)(void *out, int32_t dim); // the defaults; NULL: zeros
    bool brief;                              // the first field's value may stand for the whole map
    size_t variant; // where the index of the SCENE_VARIANT given goes (int32_t)
    // What no single row can check; may change the node to what it stands for (a file's content).
    cn_status (*check)(scene_reader *reader, io_yaml *node, void *out);
    const void *use; // what the room does with it: a scene_generator
};

// A row: its key, its kind (scene_kind_...), where the value goes, and what else there is to say.
#define SCENE_KEY(name, of_kind, type, member, ...)                                                \
    { .key = name, .kind = &scene_kind_##of_kind, .offset = offsetof(type, member), __VA_ARGS__ }

#define SCENE_COUNT(array) ((int32_t)(sizeof(array) / sizeof(array)[0]))

// Reads a map (or what stands for it) into out, which has the table's size.
cn_status scene_table_read(scene_reader *reader, const scene_table_of *table, io_yaml *node,
                           void *out);
cn_status scene_field_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out);
// The row of a key, whatever the dimension; NULL: none.
const scene_field *scene_table_field(const scene_table_of *table, const char *key);
bool scene_field_in(const scene_field *field,
                    int32_t dim); // whether scenes of this dimension have it
// A struct of the table with its defaults; NULL: no memory.
void *scene_table_initial(cn_arena *memory, const scene_table_of *table, int32_t dim);

// ---- failing at a node ----

cn_status scene_fail_node(scene_reader *reader, const io_yaml *node, cn_status status,
                          const char *format, ...) CN_PRINTF(4, 5);
// "tolerance must be a number, not "abc"", with a hint where one is known.
cn_status scene_fail_kind(scene_reader *reader, const scene_field *field, const io_yaml *node);
// Whether a text is a number with a decimal comma, as "2,5".
bool scene_is_decimal_comma(const char *text);
// A hint "did you mean" for word among names if one is near, else the names that there are.
void scene_hint_names(scene_reader *reader, const char *what, const char *word,
                      const char *const *names, int32_t count);
// A hint with the names, as many as fit.
void scene_hint_list(scene_reader *reader, const char *intro, const char *const *names,
                     int32_t count);

// ---- the kinds ----

extern const scene_kind scene_kind_real;    // double
extern const scene_kind scene_kind_int;     // int32_t
extern const scene_kind scene_kind_seed;    // int64_t, 0 .. 2^53
extern const scene_kind scene_kind_bool;    // bool
extern const scene_kind scene_kind_text;    // const char *
extern const scene_kind scene_kind_choice;  // int32_t
extern const scene_kind scene_kind_choices; // uint32_t, the values or-ed
extern const scene_kind scene_kind_name;    // const char *, a row of a C table
extern const scene_kind scene_kind_names;   // scene_words, or const char *[count] when count is set
extern const scene_kind scene_kind_vector;  // double[3], dim numbers
extern const scene_kind scene_kind_counts;  // int32_t[3], dim whole numbers
extern const scene_kind scene_kind_quaternion; // double[4]
extern const scene_kind scene_kind_spin;       // double[3]; 2D: a number, into [2]
extern const scene_kind scene_kind_inertia;    // double[9]; 2D: a number, into [8]
extern const scene_kind scene_kind_range;      // double[2], a number or [low, high]
extern const scene_kind scene_kind_corners;    // double[6], two points
extern const scene_kind scene_kind_reals;      // scene_reals
extern const scene_kind scene_kind_points;     // scene_reals, dim numbers each
extern const scene_kind scene_kind_faces;      // scene_faces
extern const scene_kind scene_kind_signal;  // cn_signal_def; the row's table is scene_signal_table
extern const scene_kind scene_kind_signals; // cn_signal_def[3]; likewise
extern const scene_kind scene_kind_spin_signals; // cn_signal_def[3]; 2D: one, into [2]
extern const scene_kind scene_kind_table;        // a map, into the struct at the offset
extern const scene_kind scene_kind_boxed;        // a map, into a struct of its own: void *
extern const scene_kind scene_kind_list;         // a list of maps: scene_items
extern const scene_kind scene_kind_one_or_list;  // a map or a list of maps: scene_items
extern const scene_kind scene_kind_dictionary;   // a map of names to maps: scene_items
extern const scene_kind scene_kind_formula;      // sys_script_text
extern const scene_kind scene_kind_formulas;     // sys_script_list
extern const scene_kind scene_kind_formula_rows; // scene_formula_matrix
extern const scene_kind scene_kind_matrix;       // scene_matrix
extern const scene_kind scene_kind_assignments;  // sys_script_names
extern const scene_kind scene_kind_later;        // nothing yet

extern const scene_table_of scene_signal_table;

typedef struct scene_words {
    const char **text;
    int32_t count;
} scene_words;

typedef struct scene_reals {
    double *value;
    int32_t count; // of numbers, or of points
} scene_reals;

typedef struct scene_faces {
    int32_t *size, *index;
    int32_t count;
} scene_faces;

typedef struct scene_formula_matrix {
    sys_script_text *of; // by rows
    int32_t rows, cols;  // 0: not given
} scene_formula_matrix;

typedef struct scene_matrix {
    double *value; // by rows
    int32_t rows, cols;
} scene_matrix;

typedef struct scene_items {
    void *item;          // structs of the table
    const io_yaml *node; // the list or map; NULL: not given
    int32_t count;
} scene_items;

// ---- from the tables ----

// JSON Schema (draft-07) of root and all that it names.
bool scene_schema_json(const scene_table_of *root, cn_arena *memory, base_buffer *out);
// The reference tables of docs/reference/scene.md, in Markdown.
bool scene_schema_markdown(const scene_table_of *root, cn_arena *memory, base_buffer *out);
// Puts the defaults of root's own keys, and of the parts of its struct, where the tree lacks them.
cn_status scene_schema_fill(scene_reader *reader, const scene_table_of *root, io_yaml *tree);

#endif
