import type { SettingDefinition, SettingsDefinition } from '@ssb/platform';
import { MANAGED_SETTINGS, REPLACED_SETTINGS } from './managed-settings.js';
import { object, ref, toJsonSchema, type JsonSchema } from './json-schema.js';

/** Schemas of `settings` and `secretSettings` of a component: what the code accepts and the chart does not set. */
export function settingsSchemas(definition: SettingsDefinition): {
  readonly settings: JsonSchema;
  readonly secretSettings: JsonSchema;
} {
  const own = Object.entries(definition).filter(([name]) => !isManaged(name));
  const schemas = (secret: boolean, toSchema: (setting: SettingDefinition) => JsonSchema): JsonSchema =>
    object(
      Object.fromEntries(
        own.filter(([, setting]) => (setting.secret ?? false) === secret).map(([n, s]) => [n, toSchema(s)]),
      ),
    );
  return {
    settings: schemas(false, settingSchema),
    secretSettings: schemas(true, ({ doc }) => ({ ...ref('secretKey'), description: doc })),
  };
}

export function isManaged(name: string): boolean {
  return name in MANAGED_SETTINGS || name in REPLACED_SETTINGS;
}

/** Values of `settings` are numbers and booleans where the variable's text stands for one. */
function settingSchema({ schema, doc }: SettingDefinition): JsonSchema {
  const output = toJsonSchema(schema, 'output');
  const input = toJsonSchema(schema, 'input');
  const description = `${doc} It takes ${schema.description ?? 'any text'}.`;
  if (output['type'] === 'integer' || output['type'] === 'number') return { ...output, description };
  if ((input['enum'] as readonly string[] | undefined)?.includes('true'))
    return { type: 'boolean', description };
  return { ...input, description };
}
