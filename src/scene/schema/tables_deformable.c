// scene/schema/tables_deformable.c
// The keys of deformable bodies: meshes, what holds, drives and presses groups of nodes.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "body/fe/element.h"
#include "scene/files.h"

#include <string.h>

// ---- meshes ----

static const char *element_name_at(int32_t index) {
    return index < fe_element_count() ? fe_element_at(index)->name : NULL;
}

static const scene_choice patterns[] = {{.text = "diagonal", .value = 0},
                                        {.text = "union-jack", .value = 1},
                                        {.text = "crossed", .value = 2},
                                        {0}};
const char *const scene_pattern_text[] = {"diagonal", "union-jack", "crossed"};

#define ELEMENT_FIELD                                                                              \
    SCENE_KEY("element", name, scene_mesh_entry, def.element, .name_at = element_name_at,          \
              .help = "t3, t6, q4, q4-plain or q8, in 3D tet4, tet10, h8 or h8-plain; by default " \
                      "q4 or h8")

static const scene_field box_fields[] = {
    SCENE_KEY("size", vector, scene_mesh_entry, def.size, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "full edge lengths, centred at the body's origin; generators give it"),
    SCENE_KEY("cells", counts, scene_mesh_entry, def.cells,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .help = "in each direction"),
    ELEMENT_FIELD,
    SCENE_KEY("pattern", choice, scene_mesh_entry, pattern, .choice = patterns,
              .help = "how cells are split into triangles and tetrahedra"),
};

static const scene_table_of mesh_box_table = {
    .name = "mesh box",
    .help =
        "A box of cells. Groups: left right bottom top, in 3D left right front back bottom top.",
    .field = box_fields,
    .count = SCENE_COUNT(box_fields),
};

static const scene_field disk_fields[] = {
    SCENE_KEY("radius", real, scene_mesh_entry, def.radius, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "of the circle that the rim's nodes are on; generators give it"),
    SCENE_KEY("cells", int, scene_mesh_entry, def.cells, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "edges on a quarter of the rim"),
    SCENE_KEY("element", name, scene_mesh_entry, def.element, .flags = SCENE_ONLY_2D,
              .name_at = element_name_at, .help = "t3, t6, q4, q4-plain or q8; by default q4"),
};

static const scene_table_of mesh_disk_table = {
    .name = "mesh disk",
    .help = "A disk as a polygon of 4 cells corners. Group: rim.",
    .field = disk_fields,
    .count = SCENE_COUNT(disk_fields),
};

static const scene_field sphere_fields[] = {
    SCENE_KEY("radius", real, scene_mesh_entry, def.radius, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "of the sphere that the surface's nodes are on; generators give it"),
    SCENE_KEY("cells", int, scene_mesh_entry, def.cells, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "edges on a quarter of a great circle"),
    ELEMENT_FIELD,
};

static const scene_table_of mesh_sphere_table = {
    .name = "mesh sphere",
    .help = "A sphere of hexahedra, centred at the body's origin. Group: surface.",
    .field = sphere_fields,
    .count = SCENE_COUNT(sphere_fields),
};

static const scene_field extrude_fields[] = {
    SCENE_KEY("disk", table, scene_mesh_entry, node, .flags = SCENE_REQUIRED,
              .table = &mesh_disk_table, .help = "the profile"),
    SCENE_KEY("length", real, scene_mesh_entry, def.size[2],
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .unit = "m", .help = "along z"),
    SCENE_KEY("layers", int, scene_mesh_entry, def.cells[2],
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .help = "of cells along z"),
    ELEMENT_FIELD,
};

static const scene_table_of mesh_extrude_table = {
    .name = "mesh extrude",
    .help = "A plane mesh repeated along z, its middle at the body's origin. Groups: those of the "
            "profile, below and above.",
    .field = extrude_fields,
    .count = SCENE_COUNT(extrude_fields),
};

static const scene_field sheet_fields[] = {
    SCENE_KEY("length", real, scene_mesh_entry, length, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "along x"),
    SCENE_KEY("width", real, scene_mesh_entry, width, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "along y"),
    SCENE_KEY("thickness", real, scene_mesh_entry, thickness,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .unit = "m", .help = "along z"),
    SCENE_KEY("cells", counts, scene_mesh_entry, def.cells,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "in each direction; one is enough across the thickness"),
    ELEMENT_FIELD,
    SCENE_KEY("pattern", choice, scene_mesh_entry, pattern, .choice = patterns,
              .help = "how cells are split into tetrahedra"),
};

static const scene_table_of mesh_sheet_table = {
    .name = "mesh sheet",
    .help = "A flat sheet, with the groups of a box.",
    .field = sheet_fields,
    .count = SCENE_COUNT(sheet_fields),
};

// ---- meshes that are given ----

static const scene_field group_fields[] = {
    SCENE_KEY("name", text, scene_mesh_group, name, .flags = SCENE_REQUIRED,
              .help = "for hold, drive and pressure"),
    SCENE_KEY("nodes", reals, scene_mesh_group, nodes, .flags = SCENE_REQUIRED,
              .help = "numbers of its nodes, from 0"),
};

static const scene_table_of mesh_group_table = {
    .name = "mesh group",
    .help = "Nodes under a name.",
    .field = group_fields,
    .count = SCENE_COUNT(group_fields),
    .size = sizeof(scene_mesh_group),
};

static const scene_field given_fields[] = {
    SCENE_KEY("nodes", points, scene_mesh_entry, nodes, .flags = SCENE_REQUIRED, .unit = "m",
              .help = "in the body's own frame"),
    SCENE_KEY("elements", faces, scene_mesh_entry, elements,
              .flags = SCENE_REQUIRED | SCENE_NOT_BELOW_ZERO,
              .help = "the nodes of each, from 0, in the order of VTK"),
    ELEMENT_FIELD,
    SCENE_KEY("groups", list, scene_mesh_entry, groups, .table = &mesh_group_table,
              .help = "named nodes"),
};

static const scene_table_of mesh_given_table = {
    .name = "mesh given",
    .help = "Nodes and elements one by one, as a mesh file becomes.",
    .field = given_fields,
    .count = SCENE_COUNT(given_fields),
};

enum { MESH_BOX, MESH_DISK, MESH_SPHERE, MESH_EXTRUDE, MESH_SHEET, MESH_GIVEN, MESH_FILE };

static const scene_field mesh_fields[] = {
    SCENE_KEY("box", table, scene_mesh_entry, node, .flags = SCENE_VARIANT,
              .table = &mesh_box_table, .help = "a box of cells"),
    SCENE_KEY("disk", table, scene_mesh_entry, node, .flags = SCENE_VARIANT | SCENE_ONLY_2D,
              .table = &mesh_disk_table, .help = "a disk"),
    SCENE_KEY("sphere", table, scene_mesh_entry, node, .flags = SCENE_VARIANT | SCENE_ONLY_3D,
              .table = &mesh_sphere_table, .help = "a sphere"),
    SCENE_KEY("extrude", table, scene_mesh_entry, node, .flags = SCENE_VARIANT | SCENE_ONLY_3D,
              .table = &mesh_extrude_table, .help = "a plane mesh repeated along z"),
    SCENE_KEY("sheet", table, scene_mesh_entry, node, .flags = SCENE_VARIANT | SCENE_ONLY_3D,
              .table = &mesh_sheet_table, .help = "a flat sheet"),
    SCENE_KEY("given", table, scene_mesh_entry, node, .flags = SCENE_VARIANT,
              .table = &mesh_given_table, .help = "nodes and elements one by one"),
    SCENE_KEY("file", text, scene_mesh_entry, file, .flags = SCENE_VARIANT,
              .help = "a mesh of Gmsh (.msh, version 2.2 or 4.1), relative to the scene file; its "
                      "physical groups are the groups"),
    SCENE_KEY("scale", real, scene_mesh_entry, scale, .flags = SCENE_ABOVE_ZERO,
              .help = "factor on the file's lengths"),
};

static void mesh_initial(void *out, int32_t dim) {
    (void)dim;
    ((scene_mesh_entry *)out)->scale = 1.0;
}

// Lists of the element's length and whole numbers of nodes, into the definition.
static cn_status take_given(scene_reader *reader, const io_yaml *node, scene_mesh_entry *mesh) {
    const io_yaml *given = io_yaml_get(node, "given");
    const char *name = mesh->def.element ? mesh->def.element : reader->dim == 2 ? "q4" : "h8";
    const fe_element *element = fe_element_find(name);
    for (int32_t k = 0; k < mesh->elements.count; k++) {
        if (mesh->elements.size[k] != element->nodes) {
            return scene_fail_node(reader, io_yaml_get(given, "elements")->item[k], CN_ERR_INPUT,
                                   "an element %s has %d nodes, not %d", name, (int)element->nodes,
                                   (int)mesh->elements.size[k]);
        }
    }
    cn_node_group *group = BASE_TAKE_ZERO(reader->memory, cn_node_group, mesh->groups.count);
    if (!group) {
        return base_fail_memory(reader->error);
    }
    for (int32_t g = 0; g < mesh->groups.count; g++) {
        const scene_mesh_group *from = (const scene_mesh_group *)mesh->groups.item + g;
        int32_t *list = BASE_TAKE(reader->memory, int32_t, from->nodes.count);
        if (!list) {
            return base_fail_memory(reader->error);
        }
        for (int32_t k = 0; k < from->nodes.count; k++) {
            double n = from->nodes.value[k];
            if (!(n >= 0.0 && n < mesh->nodes.count && n == (double)(int32_t)n)) {
                return scene_fail_node(reader, io_yaml_get(from->node, "nodes")->item[k],
                                       CN_ERR_INPUT, "a node is a whole number from 0 to %d",
                                       (int)mesh->nodes.count - 1);
            }
            list[k] = (int32_t)n;
        }
        group[g] = (cn_node_group){from->name, list, from->nodes.count};
    }
    mesh->def.nodes = mesh->nodes.value;
    mesh->def.node_count = mesh->nodes.count;
    mesh->def.elements = mesh->elements.index;
    mesh->def.element_count = mesh->elements.count;
    mesh->def.groups = group;
    mesh->def.group_count = mesh->groups.count;
    return CN_OK;
}

static cn_status mesh_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_mesh_entry *mesh = out;
    if (mesh->which != MESH_FILE && mesh->scale != 1.0) {
        return scene_fail_node(reader, io_yaml_get(node, "scale"), CN_ERR_INPUT,
                               "scale goes with file only");
    }
    if (mesh->which == MESH_FILE) {
        CN_TRY(scene_gmsh_expand(reader, node, mesh->file, mesh->scale));
        // The node is a given mesh from here on, and is read as one.
        return scene_table_read(reader, &scene_mesh_table, node, mesh);
    }
    const io_yaml *inner = io_yaml_get(node, mesh_fields[mesh->which].key);
    const fe_element *element = mesh->def.element ? fe_element_find(mesh->def.element) : NULL;
    if (element && element->dim != reader->dim) {
        scene_fail_node(reader, io_yaml_get(inner, "element"), CN_ERR_INPUT,
                        "element %s is one of %dD, and the scene is in %dD", element->name,
                        (int)element->dim, (int)reader->dim);
        base_fail_hint(reader->error, reader->dim == 2
                                          ? "in 2D there are t3, t6, q4, q4-plain and q8"
                                          : "in 3D there are tet4, tet10, h8 and h8-plain");
        return CN_ERR_INPUT;
    }
    static const cn_mesh_kind kinds[] = {CN_MESH_BOX,      CN_MESH_DISK, CN_MESH_SPHERE,
                                         CN_MESH_CYLINDER, CN_MESH_BOX,  CN_MESH_GIVEN};
    mesh->def.kind = kinds[mesh->which];
    if (mesh->which == MESH_SHEET) {
        mesh->def.size[0] = mesh->length;
        mesh->def.size[1] = mesh->width;
        mesh->def.size[2] = mesh->thickness;
    }
    mesh->def.pattern = scene_pattern_text[mesh->pattern];
    return mesh->which == MESH_GIVEN ? take_given(reader, node, mesh) : CN_OK;
}

const scene_table_of scene_mesh_table = {
    .name = "deformable mesh",
    .help = "The mesh of a deformable body, in the body's own frame: one of these.",
    .field = mesh_fields,
    .count = SCENE_COUNT(mesh_fields),
    .size = sizeof(scene_mesh_entry),
    .initial = mesh_initial,
    .variant = offsetof(scene_mesh_entry, which),
    .check = mesh_check,
};

// ---- what acts on groups ----

static const scene_choice node_axes[] = {{.text = "x", .value = CN_AXIS_X},
                                         {.text = "y", .value = CN_AXIS_Y},
                                         {.text = "z", .value = CN_AXIS_Z},
                                         {0}};

#define GROUP_FIELD(type)                                                                          \
    SCENE_KEY("group", text, type, group, .flags = SCENE_REQUIRED,                                 \
              .help = "a group of the mesh, as left")
#define AXES_FIELD(type)                                                                           \
    SCENE_KEY("axes", choices, type, axes, .choice = node_axes,                                    \
              .help = "axes of the body as it is placed; by default all")

static const scene_field hold_fields[] = {
    GROUP_FIELD(scene_node_entry),
    AXES_FIELD(scene_node_entry),
};

static cn_status axes_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_node_entry *entry = out;
    uint32_t all = reader->dim == 2 ? CN_AXIS_X | CN_AXIS_Y : CN_AXIS_X | CN_AXIS_Y | CN_AXIS_Z;
    if (entry->axes & ~all) {
        return scene_fail_node(reader, io_yaml_get(node, "axes"), CN_ERR_INPUT,
                               "the axes of a 2D scene are x and y");
    }
    entry->axes = entry->axes ? entry->axes : all;
    return CN_OK;
}

static const scene_table_of hold_table = {
    .name = "hold",
    .help = "Nodes that do not move along some axes.",
    .field = hold_fields,
    .count = SCENE_COUNT(hold_fields),
    .size = sizeof(scene_node_entry),
    .check = axes_check,
};

static const scene_field drive_fields[] = {
    GROUP_FIELD(scene_node_entry),
    AXES_FIELD(scene_node_entry),
    SCENE_KEY("displacement", signal, scene_node_entry, value, .flags = SCENE_REQUIRED,
              .table = &scene_signal_table, .unit = "m",
              .help = "along each of the axes, from where the nodes are placed"),
};

static const scene_table_of drive_table = {
    .name = "drive",
    .help = "Nodes whose displacement along some axes is prescribed.",
    .field = drive_fields,
    .count = SCENE_COUNT(drive_fields),
    .size = sizeof(scene_node_entry),
    .check = axes_check,
};

static const scene_field pressure_fields[] = {
    GROUP_FIELD(scene_node_entry),
    SCENE_KEY("value", signal, scene_node_entry, value, .flags = SCENE_REQUIRED,
              .table = &scene_signal_table, .unit = "Pa",
              .help = "against the outward normal of the undeformed faces, turned with the body"),
};

static const scene_table_of pressure_table = {
    .name = "pressure",
    .help = "A pressure on the faces of a group.",
    .field = pressure_fields,
    .count = SCENE_COUNT(pressure_fields),
    .size = sizeof(scene_node_entry),
};

// ---- the body ----

static const scene_choice strains[] = {{.text = "auto", .value = CN_STRAIN_AUTO},
                                       {.text = "corotational", .value = CN_STRAIN_COROTATIONAL},
                                       {.text = "small", .value = CN_STRAIN_SMALL},
                                       {.text = "finite", .later = true},
                                       {0}};
static const scene_choice planes[] = {{.text = "strain", .value = CN_PLANE_STRAIN},
                                      {.text = "stress", .value = CN_PLANE_STRESS},
                                      {0}};
static const scene_choice candidates[] = {{.text = "nodes", .value = CN_CANDIDATES_NODES},
                                          {.text = "midpoints", .value = CN_CANDIDATES_MIDPOINTS},
                                          {0}};
static const scene_choice masses[] = {{.text = "lumped"}, {.text = "consistent", .value = 1}, {0}};

static const scene_field deformable_fields[] = {
    SCENE_KEY("mesh", table, scene_deformable_entry, mesh, .flags = SCENE_REQUIRED,
              .table = &scene_mesh_table, .help = "its nodes and elements"),
    SCENE_KEY("strain", choice, scene_deformable_entry, strain, .choice = strains,
              .help =
                  "small strain, in axes that turn with the body (corotational) or stay as placed "
                  "(small); auto: small where nodes are held along some axes only"),
    SCENE_KEY("plane", choice, scene_deformable_entry, plane, .flags = SCENE_ONLY_2D,
              .choice = planes, .help = "plane strain or plane stress"),
    SCENE_KEY("candidates", choice, scene_deformable_entry, candidates, .choice = candidates,
              .help = "points of its surface that touch: nodes (mortar rows between deformable "
                      "bodies), or in 2D midpoints of edges and overlaps, for flat blocks"),
    SCENE_KEY("mass", choice, scene_deformable_entry, mass, .choice = masses,
              .help = "on the nodes, or the consistent matrix"),
    SCENE_KEY("quasi_static", bool, scene_deformable_entry, quasi_static,
              .help = "every step starts from rest; needs integrator.theta = 1"),
    SCENE_KEY("hold", one_or_list, scene_deformable_entry, holds, .table = &hold_table,
              .help = "nodes that do not move"),
    SCENE_KEY("drive", one_or_list, scene_deformable_entry, drives, .table = &drive_table,
              .help = "nodes with a prescribed displacement"),
    SCENE_KEY("pressure", one_or_list, scene_deformable_entry, pressures, .table = &pressure_table,
              .help = "pressures on faces"),
};

const scene_table_of scene_deformable_table = {
    .name = "deformable",
    .help = "What makes a body deformable: a mesh of finite elements of its material, which needs "
            "young and poisson.",
    .field = deformable_fields,
    .count = SCENE_COUNT(deformable_fields),
    .size = sizeof(scene_deformable_entry),
};
