/**
 * An object without its fields that are null: some clients write a field that they leave out so, and in document 002 no field may be
 * null, so nothing else can be meant. Anything but an object is handed back as it is.
 */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: [string, unknown][] = Object.entries(value);
  if (fields.every(([, field]) => field !== null)) return value;
  return Object.fromEntries(fields.filter(([, field]) => field !== null));
}
