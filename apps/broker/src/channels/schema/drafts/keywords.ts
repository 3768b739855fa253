import { _, str, type CodeKeywordDefinition, type KeywordErrorDefinition } from 'ajv';
import type AjvCore from 'ajv/dist/core.js';
import { Type } from 'ajv/dist/compile/util.js';
import { areUnique, createJsonFinder, isJsonEqual } from './json-equality.js';
import { isMultipleOf } from './multiple-of.js';

/** Replaces the keywords that Ajv evaluates wrongly. */
export function replaceKeywords(ajv: AjvCore.default): void {
  for (const keyword of ['multipleOf', 'const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
  // With doubles, 19.99 is not a multiple of 0.01.
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (divisor: number) => {
      // The meta-schema checks only what is in the place of a schema.
      if (divisor <= 0) throw new TypeError('multipleOf must be > 0');
      return (value: number) => isMultipleOf(value, divisor);
    },
    error: { message: ({ schema: divisor }) => `must be multiple of ${String(divisor)}` },
  });
  // Ajv compares objects by their methods, also when a payload has members with these names.
  ajv.addKeyword({
    keyword: 'const',
    validate: (constant: unknown, value: unknown) => isJsonEqual(constant, value),
    error: { message: 'must be equal to constant' },
  });
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile: createJsonFinder,
    error: { message: 'must be equal to one of the allowed values' },
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (mustBeUnique: boolean, list: readonly unknown[]) => !mustBeUnique || areUnique(list),
    error: { message: 'must NOT have duplicate items' },
  });
  if (ajv.getKeyword('contains') === false) return;
  // Ajv skips what follows a list of schemas when the payload's list is empty.
  const before = ajv.getKeyword('prefixItems') === false ? 'additionalItems' : 'prefixItems';
  ajv.removeKeyword('contains').addKeyword({ ...CONTAINS, before });
}

/** Ajv's own accepts an empty list after a list that is valid, and beside schemas of single items. */
const CONTAINS: CodeKeywordDefinition = {
  keyword: 'contains',
  type: 'array',
  schemaType: ['object', 'boolean'],
  trackErrors: true,
  code: (cxt) => {
    const { gen, data } = cxt;
    const { min, max } = getLimits(cxt);
    const count = gen.let('count', 0);
    const isValid = gen.name('valid');
    gen.forRange('i', 0, _`${data}.length`, (i) => {
      const item = { keyword: 'contains', dataProp: i, dataPropType: Type.Num, compositeRule: true } as const;
      cxt.subschema(item, isValid);
      gen.if(isValid, () => gen.code(_`${count}++`));
      gen.if(max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`, () => gen.break());
    });
    cxt.result(max === undefined ? _`${count} >= ${min}` : _`${count} >= ${min} && ${count} <= ${max}`, () =>
      cxt.reset(),
    );
  },
  error: {
    message: (cxt) => {
      const { min, max } = getLimits(cxt);
      const least = str`must contain at least ${min}`;
      return max === undefined
        ? str`${least} valid item(s)`
        : str`${least} and no more than ${max} valid item(s)`;
    },
  },
};

type Message = Extract<KeywordErrorDefinition['message'], (...parameters: never) => unknown>;

/** The keywords beside `contains`, from 2019-09 on. */
function getLimits({ it, parentSchema }: Parameters<Message>[0]): {
  min: number;
  max: number | undefined;
} {
  if (it.opts.next !== true) return { min: 1, max: undefined };
  const { minContains: min = 1, maxContains: max } = (parentSchema ?? {}) as {
    minContains?: number;
    maxContains?: number;
  };
  return { min, max };
}
