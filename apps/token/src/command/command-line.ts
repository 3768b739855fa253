import { parseArgs } from 'node:util';
import { UsageError } from './usage.js';

const SECRET_OPTIONS = ['client-secret-file', 'client-secret-stdin'] as const;

/** The options that each verb takes beside those for reaching the door. */
const VERBS = {
  create: ['client-id', 'scope', 'bound', 'if-missing', 'replace', ...SECRET_OPTIONS],
  list: [],
  rotate: ['client-id', 'grace', ...SECRET_OPTIONS],
  disable: ['client-id'],
  enable: ['client-id'],
} as const;
export type Verb = keyof typeof VERBS;

const OPTIONS = {
  'client-id': { type: 'string' },
  scope: { type: 'string', multiple: true },
  bound: { type: 'boolean' },
  'if-missing': { type: 'boolean' },
  replace: { type: 'boolean' },
  grace: { type: 'string' },
  'client-secret-file': { type: 'string' },
  'client-secret-stdin': { type: 'boolean' },
  url: { type: 'string' },
  'secret-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

const EVERYWHERE: readonly string[] = ['url', 'secret-file', 'json'];

/** @throws UsageError for a verb or an option that there is not, or an option that the verb does not take */
export function readCommandLine(args: readonly string[]): { verb: Verb; values: Values } {
  const { values, positionals } = parse(args);
  const [verb = '', ...more] = positionals;
  if (!isVerb(verb))
    throw new UsageError(`expected ${Object.keys(VERBS).join(', ')}${verb === '' ? '' : `, not ${verb}`}`);
  if (more.length > 0) throw new UsageError(`unexpected: ${more.join(' ')}`);
  const taken: readonly string[] = [...VERBS[verb], ...EVERYWHERE];
  const strange = Object.keys(values).find((name) => !taken.includes(name));
  if (strange !== undefined) throw new UsageError(`${verb} takes no --${strange}`);
  return { verb, values };
}

/** @throws UsageError */
export function required(values: Values, name: 'client-id'): string {
  const value = values[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

function parse(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}
