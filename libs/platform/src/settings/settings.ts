import type { z } from 'zod';
import { ConfigurationError } from '../lifecycle/configuration-error.js';

/** One setting: an environment variable with its schema, its one documented default and a line for the docs. */
export interface SettingDefinition<T = unknown> {
  /** Parses the variable's text; its description says what is allowed. */
  readonly schema: z.ZodType<T>;
  /** Used when the variable is unset or empty. Without it the variable is required, unless the schema is optional. */
  readonly default?: string;
  /** One line for the table of settings. */
  readonly doc: string;
  /** The value is never shown, neither in an error nor in a log. */
  readonly secret?: boolean;
  /** Another name of the variable, read when the variable itself is unset or empty. */
  readonly alias?: string;
  /** Another setting; this one is required when that one is set. */
  readonly requiredWith?: string;
  /** Other settings, of which none may be set together with this one. When one is set, this one has no default. */
  readonly notWith?: readonly string[];
}

export type SettingsDefinition = Readonly<Record<string, SettingDefinition>>;

export type SettingsOf<D extends SettingsDefinition> = {
  readonly [K in keyof D]: z.output<D[K]['schema']>;
};

/** Defines the settings of an app. Parsing and docs both use this definition. */
export function defineSettings<const D extends SettingsDefinition>(definition: D): D {
  return definition;
}

/** The environment lacks settings, or has wrong ones. Each problem is a sentence for the operator. */
export class SettingsError extends ConfigurationError {
  override readonly name = 'SettingsError';
}

/**
 * Parses all settings of an app at once, so that an operator sees every mistake.
 * @throws SettingsError naming each wrong variable, its value and what is allowed
 */
export function readSettings<D extends SettingsDefinition>(
  definition: D,
  environment: Readonly<Record<string, string | undefined>>,
): SettingsOf<D> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<SettingDefinition>(definition)) {
    // A template with a missing value leaves an empty variable, so an empty one counts as unset.
    const text = trimLineEnd(environment[name]) || trimLineEnd(environment[setting.alias ?? '']) || undefined;
    const excluding = setting.notWith?.find((other) => environment[other]);
    const result = setting.schema.safeParse(text ?? (excluding === undefined ? setting.default : undefined));
    if (text !== undefined && excluding !== undefined)
      problems.push(`${name} and ${excluding} are set, but only one of them is allowed. Unset the other.`);
    else if (result.success) values[name] = result.data;
    else problems.push(describeProblem(name, setting, text));
  }
  for (const [name, setting] of Object.entries<SettingDefinition>(definition))
    if (setting.requiredWith !== undefined && isMissing(name, environment, setting.requiredWith))
      problems.push(describeProblem(name, setting, undefined));
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(values) as SettingsOf<D>;
}

/** A value that was read from a file often ends with the line end of the file. */
function trimLineEnd(text: string | undefined): string | undefined {
  return text?.replace(/[\r\n]+$/, '');
}

/** An address can contain a secret in its credentials or its query. */
const SECRET_PART = /:\/\/[^/]*@|:\/\/.*\?/;

function isMissing(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  requiredWith: string,
): boolean {
  return !environment[name] && Boolean(environment[requiredWith]);
}

function describeProblem(name: string, setting: SettingDefinition, text: string | undefined): string {
  const allowed = setting.schema.description ?? 'another value';
  if (text === undefined) return `${name} is not set; it takes ${allowed}. ${setting.doc}`;
  const shown =
    setting.secret || SECRET_PART.test(text) ? 'a value that is not shown here' : JSON.stringify(text);
  return `${name} is ${shown}, but it takes ${allowed}. ${setting.doc}`;
}
