import type { SettingDefinition, SettingsDefinition } from '@ssb/platform';
import { CONSTRAINTS } from './constraints.js';
import { object, ref, string, toJsonSchema, type JsonSchema } from './json-schema.js';
import { MANAGED_SETTINGS, REPLACED_SETTINGS } from './managed-settings.js';
import type { ChartValue } from './values-file.js';

/** Settings of the code by app; `common` has those of every app. */
export type AppDefinitions = Readonly<Record<string, SettingsDefinition>>;

/** The app of each value that describes pods. All of them take the options of `defaults`. */
const APP_BY_COMPONENT: Readonly<Record<string, string>> = {
  poller: 'poller',
  busPublisher: 'bus-publisher',
  subscriber: 'subscriber',
  gatewayPublisher: 'gateway',
  gatewaySubscriber: 'gateway',
  broker: 'broker',
  migration: 'none',
  configCheck: 'none',
  provisioning: 'busbridge',
  tests: 'none',
  sandboxToken: 'token',
  sandboxReporting: 'reporting',
  sandboxSimulator: 'simulator',
  sandboxAccounts: 'none',
  trialRedis: 'none',
  trialPostgresql: 'none',
  trialNats: 'none',
};

/** `values.schema.json`: a strict schema, so that a wrong value fails with its path. @throws Error when a default does not say what is allowed */
export function renderValuesSchema(values: readonly ChartValue[], apps: AppDefinitions): string {
  const options = Object.fromEntries(
    childrenOf(values, 'defaults').map((value) => [lastPart(value.path), schemaOf(value, apps)]),
  );
  const components = Object.keys(APP_BY_COMPONENT).filter((name) => values.some(({ path }) => path === name));
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'Written by npm run docs from values.yaml and the settings of the code.',
    ...object({
      ...Object.fromEntries(values.map((value) => [value.path, schemaOf(value, apps)])),
      defaults: ref('options'),
      ...Object.fromEntries(components.map((name) => [name, ref(name)])),
    }),
    definitions: {
      secretKey: object({ name: string, key: string }, ['name', 'key']),
      options: object(options),
      ...Object.fromEntries(
        components.map((name) => {
          const shared = Object.keys(options).map((key) => [key, ref(`options/properties/${key}`)] as const);
          const own = childrenOf(values, name).map(
            (value) => [lastPart(value.path), schemaOf(value, apps)] as const,
          );
          const settings = settingsSchemas(apps[APP_BY_COMPONENT[name]!] ?? {});
          return [name, object({ ...Object.fromEntries([...shared, ...own]), ...settings })];
        }),
      ),
    },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function childrenOf(values: readonly ChartValue[], path: string): readonly ChartValue[] {
  return values.find((value) => value.path === path)?.children ?? [];
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function schemaOf(value: ChartValue, apps: AppDefinitions): JsonSchema {
  const { path, doc: description, children } = value;
  if (children !== undefined)
    return object(Object.fromEntries(children.map((child) => [lastPart(child.path), schemaOf(child, apps)])));
  const name = lastPart(path);
  if (name === 'settings' || name === 'secretSettings')
    return { ...settingsSchemas(apps['common'] ?? {})[name], description };
  return { ...(findConstraint(path) ?? inferSchema(value)), description };
}

/** A component's own default of an option has the constraint of `defaults`. */
function findConstraint(path: string): JsonSchema | undefined {
  const [first = '', ...rest] = path.split('.');
  const option = first in APP_BY_COMPONENT ? CONSTRAINTS[`defaults.${rest.join('.')}`] : undefined;
  return (
    CONSTRAINTS[path] ??
    option ??
    Object.entries(CONSTRAINTS).find(([pattern]) => matches(pattern, path))?.[1]
  );
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('.');
  const actual = path.split('.');
  return (
    parts.length === actual.length && parts.every((part, index) => part === '*' || part === actual[index])
  );
}

function inferSchema({ path, default: value }: ChartValue): JsonSchema {
  if (typeof value === 'string') return string;
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return { type: 'integer', minimum: 0 };
  throw new Error(
    `The default of ${path} in values.yaml does not say what is allowed. Add its schema to constraints.ts.`,
  );
}

/** Schemas of `settings` and `secretSettings` of a component: what the code accepts and the chart does not set. */
function settingsSchemas(definition: SettingsDefinition): {
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
