import type { z } from 'zod';

/** One setting: an environment variable with its schema, its one documented default and a line for the docs. */
export interface SettingDefinition<T = unknown> {
  /** Turns the variable's text into a typed value; its description says what is allowed. */
  readonly schema: z.ZodType<T>;
  /** Text used when the variable is unset or empty. Without one the variable is required, unless the schema is optional. */
  readonly default?: string;
  /** One line for the table of settings. */
  readonly doc: string;
  /** The value is never shown, neither in an error nor in a log. */
  readonly secret?: boolean;
}

export type SettingsDefinition = Readonly<Record<string, SettingDefinition>>;

export type SettingsOf<D extends SettingsDefinition> = {
  readonly [K in keyof D]: z.output<D[K]['schema']>;
};

/** Names the shape of an app's settings; the definition is the one source for parsing and for the docs. */
export function defineSettings<const D extends SettingsDefinition>(definition: D): D {
  return definition;
}
