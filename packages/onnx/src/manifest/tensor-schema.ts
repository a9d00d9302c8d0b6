import { z } from "zod";
import { TENSOR_DTYPES } from "./tensor.ts";

/** Names of graphs, values, states and inputs: they stand in references such as `state:keys/length`. */
export const nameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, "a name: a letter or _, then letters, digits, . _ -, at most 128 in all");

/** Names of tensors within an `.onnx` file, which may be nearly anything. */
export const portNameSchema = z.string().min(1).max(256);

/** A path within the bundle. */
export const pathSchema = z.string().min(1).max(512);

/** Text for people. */
export const textSchema = z.string().max(10_000);

/** The longest axis and the greatest number of axes that a manifest may declare. */
const MAX_AXIS = 1_000_000_000;
const MAX_AXES = 8;

/** Type of tensor elements. */
export const dtypeSchema = z.enum(TENSOR_DTYPES).meta({ id: "Dtype", description: "Type of the elements." });

/** Shape of a tensor whose every axis is known. */
export const shapeSchema = z
  .array(z.int().min(1).max(MAX_AXIS))
  .max(MAX_AXES)
  .meta({ id: "Shape", description: "Length of each axis, the last varying fastest; [] is a scalar." });

/** Shape of a tensor with axes that are known only at run time. */
export const openShapeSchema = z
  .array(z.union([z.int().min(1).max(MAX_AXIS), z.literal("any")]).describe('A length of at least 1, or "any".'))
  .max(MAX_AXES)
  .meta({
    id: "OpenShape",
    description: 'Length of each axis, the last varying fastest; "any" where it changes from call to call.',
  });

/** Physical unit of a tensor's numbers. */
export const unitSchema = z.string().min(1).max(64).describe("Unit of the numbers, such as m/s, rad or 1.");

/** One input or output of a graph. */
export const portSchema = z
  .strictObject({
    dtype: dtypeSchema,
    shape: openShapeSchema,
    unit: unitSchema.optional(),
    description: textSchema.optional(),
  })
  .meta({ id: "Port", description: "One input or output of a graph." });
