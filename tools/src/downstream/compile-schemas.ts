import { CATALOGUE } from '@ssb/events';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { KIT_SCHEMAS } from 'settlement-bus-downstream/checks';

type Schema = Readonly<Record<string, unknown>>;

// The package is CommonJS, and its type declarations do not say so.
const writeCode = standalone as unknown as typeof standalone.default;

/** Annotations, which no validator needs. */
const ANNOTATIONS = new Set(['title', 'description', '$comment']);

/**
 * The JavaScript text of a module that has a validator for each schema of the kit, by its `$id`. Parts that several event types have are compiled
 * once, which makes the text a third as long.
 */
export function compileSchemas(): string {
  const events = shareParts(CATALOGUE.map(({ schema }) => schema));
  const ajv = new Ajv({
    allErrors: true,
    validateSchema: false,
    inlineRefs: false,
    strictTypes: false,
    code: { source: true, esm: true, optimize: true },
    schemas: [...events, ...KIT_SCHEMAS],
  });
  const ids = [...CATALOGUE.map(({ schema }) => schema), ...KIT_SCHEMAS].map(({ $id }) => String($id));
  const names = ids.map((id, index) => [`schema${index}Validator`, id] as const);
  const entries = names.map(([name, id]) => `${JSON.stringify(id)}: ${name}`);
  return `${writeCode(ajv, Object.fromEntries(names))}\nexport const VALIDATORS = {${entries.join(', ')}};\n`;
}

/** The schemas with references instead of the parts that occur several times, and these parts. */
function shareParts(schemas: readonly Schema[]): Schema[] {
  const plain = schemas.map((schema) => mapParts(withoutAnnotations(schema), withoutAnnotations));
  const counts = new Map<string, number>();
  const count = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return part;
  };
  for (const schema of plain) mapParts(schema, count);
  const shared = [...counts].filter(([, times]) => times > 1).map(([text]) => text);
  const ids = new Map(shared.map((text, index) => [text, `urn:shared:${index}`]));
  const refer = (part: Schema): Schema => {
    const id = ids.get(JSON.stringify(part));
    return id === undefined ? part : { $ref: id };
  };
  const parts = shared.map((text) => ({
    $id: ids.get(text),
    ...mapParts(JSON.parse(text) as Schema, refer),
  }));
  return [...parts, ...plain.map((schema) => mapParts(schema, refer))];
}

function withoutAnnotations(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !ANNOTATIONS.has(name)));
}

/** Replaces each property and item of a schema; outer ones first, because a reference replaces all of them. */
function mapParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const replace = (part: Schema): Schema => mapParts(change(part), change);
  const { properties, items } = schema as {
    readonly properties?: Record<string, Schema>;
    readonly items?: Schema;
  };
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, replace(part)])),
    }),
    ...(items && { items: replace(items) }),
  };
}
