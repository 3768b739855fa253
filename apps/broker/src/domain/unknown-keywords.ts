/** Keywords of draft-07 whose members are named by the schema's author. */
const BY_NAME = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Keywords whose value is data. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Takes a keyword that draft-07 does not know out of a parsed schema and all that may be a schema within it: §6.4 has it ignored, while a
 * validator may go by it.
 */
export function ignoreKeyword(schema: unknown, keyword: string): void {
  const waiting: { readonly value: unknown; readonly named: boolean }[] = [{ value: schema, named: false }];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    const { value, named } = each;
    if (typeof value !== 'object' || value === null) continue;
    if (!named && !Array.isArray(value)) Reflect.deleteProperty(value, keyword);
    for (const [key, part] of Object.entries(value) as [string, unknown][]) {
      if (named || !DATA.has(key)) waiting.push({ value: part, named: !named && BY_NAME.has(key) });
    }
  }
}
