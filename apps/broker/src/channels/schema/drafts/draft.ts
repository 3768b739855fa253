import { createRequire } from 'node:module';
import { Ajv, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type AjvCore from 'ajv/dist/core.js';
import * as draft04 from 'ajv-draft-04';
import { replaceKeywords } from './keywords.js';

/** A draft of JSON Schema in which the schema of a topic may be written. */
export interface Draft {
  readonly name: string;
  /** The usual `$schema`. */
  readonly uri: string;
  readonly idKeyword: 'id' | '$id';
  /** Whether `$ref` hides the keywords beside it (draft-07 §8.3); later drafts evaluate them. */
  readonly refHidesSiblings: boolean;
  readonly keywords: ReadonlySet<string>;
  /** An Ajv that evaluates this draft, with its meta-schema and perhaps keywords of other drafts. */
  readonly createAjv: (options: Options) => AjvCore.default;
}

const words = (text: string): string[] => text.split(/\s+/);

/** Draft-04 (fge-00 §5 and §6, zyp-04), in the order of its validation document. */
const KEYWORDS_04 = words(
  `multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern additionalItems items
  maxItems minItems uniqueItems maxProperties minProperties required additionalProperties properties patternProperties
  dependencies enum type allOf anyOf oneOf not definitions title description default format $schema $ref`,
);
/** Draft-06 renames `id` (wright-01 §9.2). */
const KEYWORDS_06 = [...KEYWORDS_04, ...words('$id const contains examples propertyNames')];
const KEYWORDS_07 = [
  ...KEYWORDS_06,
  ...words('$comment if then else readOnly writeOnly contentMediaType contentEncoding'),
];
/** 2019-09 keeps `definitions` and `dependencies` in its meta-schema for compatibility. */
const KEYWORDS_NEXT = [
  ...KEYWORDS_07,
  ...words(
    `$anchor $defs $vocabulary contentSchema dependentRequired dependentSchemas deprecated maxContains minContains
    unevaluatedItems unevaluatedProperties`,
  ),
];
const KEYWORDS_2019 = [...KEYWORDS_NEXT, '$recursiveAnchor', '$recursiveRef'];
const KEYWORDS_2020 = [
  ...KEYWORDS_NEXT.filter((keyword) => keyword !== 'additionalItems'),
  ...words('$dynamicAnchor $dynamicRef prefixItems'),
];

/** Keywords that this broker does not evaluate. A schema with one of them is refused. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
]);

const META_SCHEMA_06 = createRequire(import.meta.url)(
  'ajv/dist/refs/json-schema-draft-06.json',
) as AnySchemaObject;

export const DRAFT_07: Draft = {
  name: 'draft-07',
  uri: 'http://json-schema.org/draft-07/schema#',
  idKeyword: '$id',
  refHidesSiblings: true,
  keywords: new Set(KEYWORDS_07),
  createAjv: (options) => new Ajv(options),
};

export const DRAFTS: readonly Draft[] = [
  {
    ...DRAFT_07,
    name: 'draft-04',
    uri: 'http://json-schema.org/draft-04/schema#',
    idKeyword: 'id',
    keywords: new Set([...KEYWORDS_04, 'id']),
    createAjv: (options) => new draft04.default.default(options),
  },
  {
    ...DRAFT_07,
    name: 'draft-06',
    uri: 'http://json-schema.org/draft-06/schema#',
    keywords: new Set(KEYWORDS_06),
    createAjv: (options) => new Ajv(options).addMetaSchema(META_SCHEMA_06),
  },
  DRAFT_07,
  {
    ...DRAFT_07,
    name: '2019-09',
    uri: 'https://json-schema.org/draft/2019-09/schema',
    refHidesSiblings: false,
    keywords: new Set(KEYWORDS_2019),
    createAjv: (options) => new Ajv2019(options),
  },
  {
    ...DRAFT_07,
    name: '2020-12',
    uri: 'https://json-schema.org/draft/2020-12/schema',
    refHidesSiblings: false,
    keywords: new Set(KEYWORDS_2020),
    createAjv: (options) => new Ajv2020(options),
  },
];

/** The draft of a `$schema`, with http or https, with or without the final `#`. Without `$schema` it is draft-07. */
export function findDraft($schema: unknown): Draft | undefined {
  if ($schema === undefined) return DRAFT_07;
  return DRAFTS.find(({ uri }) => normalize(uri) === normalize($schema));
}

function normalize(uri: unknown): string {
  return typeof uri === 'string' ? uri.replace(/^https?:/, '').replace(/#$/, '') : '';
}

const metaSchemas = new Map<Draft, ValidateFunction>();

/** The check of a schema against the draft's meta-schema; compiled once, as it is larger than most schemas. */
export function getMetaSchema(draft: Draft): ValidateFunction {
  let metaSchema = metaSchemas.get(draft);
  if (metaSchema === undefined) {
    const ajv = draft.createAjv({ strict: false, logger: false, ownProperties: true });
    replaceKeywords(ajv);
    metaSchema = ajv.getSchema(draft.uri);
    if (metaSchema === undefined) throw new TypeError(`there is no meta-schema of ${draft.name}`);
    metaSchemas.set(draft, metaSchema);
  }
  return metaSchema;
}
