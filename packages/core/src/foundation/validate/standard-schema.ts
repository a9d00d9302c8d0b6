/**
 * The Standard Schema interface, version 1 (https://standardschema.dev): what zod, valibot, arktype and others implement.
 * Only the types are needed; a schema attached to a field must validate synchronously.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties that the standard reserves. */
  readonly "~standard": {
    /** The version of the standard. */
    readonly version: 1;
    /** The name of the library that made the schema. */
    readonly vendor: string;
    /** Checks a value; a promise is refused by Dreamloop. */
    readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    /** The types of the schema, for inference only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a Standard Schema answers: the checked value, or the issues found. */
export type StandardSchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardSchemaIssue[] };

/** One fault that a Standard Schema found. */
export interface StandardSchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where, as keys from the outside in. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
