/** The type of a row without the members that are null. */
export type PresentMembers<Row> = {
  readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
} & { readonly [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]> };

/** A row without its columns that are NULL: a response leaves out what does not apply. */
export function presentMembers<Row extends object>(row: Row): PresentMembers<Row> {
  const present: Partial<Row> = {};
  for (const name of Object.keys(row) as (keyof Row)[]) if (row[name] !== null) present[name] = row[name];
  return present as unknown as PresentMembers<Row>;
}
