/** The type of a row without the members that are null. */
export type PresentMembers<Row> = {
  readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
} & { readonly [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]> };

/** A row without its columns that are NULL: a response leaves out what does not apply. */
export function presentMembers<Row extends object>(row: Row): PresentMembers<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as PresentMembers<Row>;
}
