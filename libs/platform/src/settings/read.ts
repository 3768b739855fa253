import type { SettingDefinition, SettingsDefinition, SettingsOf } from './define.js';

/** The environment does not hold what the app needs; each problem is a sentence for the operator. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Parses all settings of an app at once, so that an operator sees every mistake in one go.
 * @throws SettingsError naming each wrong variable, what was read and what is allowed
 */
export function readSettings<D extends SettingsDefinition>(
  definition: D,
  environment: Readonly<Record<string, string | undefined>>,
): SettingsOf<D> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(definition)) {
    // An empty variable is what a template leaves behind when a value is missing: it counts as unset.
    const text = environment[name] || undefined;
    const result = setting.schema.safeParse(text ?? setting.default);
    if (result.success) values[name] = result.data;
    else problems.push(sentence(name, setting, text));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(values) as SettingsOf<D>;
}

function sentence(name: string, setting: SettingDefinition, text: string | undefined): string {
  const allowed = setting.schema.description ?? 'another value';
  if (text === undefined) return `${name} is not set; it takes ${allowed}. ${setting.doc}`;
  const shown = setting.secret ? 'a value that is not shown here' : JSON.stringify(text);
  return `${name} is ${shown}, but it takes ${allowed}. ${setting.doc}`;
}
