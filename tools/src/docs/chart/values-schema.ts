import { detectionSchema, operatorConfigSchema } from '@ssb/config';
import type { SettingDefinition, SettingsDefinition } from '@ssb/platform';
import { z } from 'zod';
import { isManaged } from './managed-settings.js';
import type { ChartValue, JsonSchema } from './values-file.js';

/** Settings of the code by app; `common` has those of every app. */
export type AppDefinitions = Readonly<Record<string, SettingsDefinition>>;

/** The app of each value that describes pods. All of them take the options of `defaults`. */
const APP_BY_COMPONENT: Readonly<Record<string, string>> = {
  poller: 'poller',
  busPublisher: 'bus-publisher',
  subscriber: 'subscriber',
  api: 'api',
  gatewayPublisher: 'gateway',
  gatewaySubscriber: 'gateway',
  broker: 'broker',
  migration: 'none',
  configCheck: 'none',
  toolbox: 'none',
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

/** Names of the Secrets with keys, as `busbridge keys secrets` writes them. */
export const KEY_SECRETS = [
  'poller-keys',
  'bus-publisher-keys',
  'subscriber-keys',
  'api-access',
  'gateway-publisher-keys',
  'gateway-subscriber-keys',
  'broker-keys',
  'provisioning-keys',
  'busbridge-keys',
  'sandbox-keys',
  'redis',
  'postgresql',
  'nats',
];

const string: JsonSchema = { type: 'string' };
const objects: JsonSchema = { type: 'array', items: { type: 'object' } };
const matching = (pattern: string): JsonSchema => ({ type: 'string', pattern });
const ref = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });
const { profiles, businessDays, holidays, routes, senders, revoked, ignore, alerts, participants } =
  operatorConfigSchema.shape;

/** Values with the form of the configuration file. */
const OF_CONFIGURATION: Readonly<Record<string, z.ZodType>> = {
  'config.defaults': detectionSchema,
  'config.profiles': profiles,
  'config.businessDays': businessDays,
  'config.holidays': holidays,
  'config.routes': routes,
  'config.senders': senders,
  'config.revoked': revoked,
  'config.ignore': ignore,
  'config.alerts.severities': alerts.shape.severities,
  'config.alerts.audit': alerts.shape.audit,
  'config.alerts.maxSilence': alerts.shape.maxSilence,
  'config.alerts.sinks': alerts.shape.sinks,
  'config.alerts.rules': alerts.shape.rules,
};

/** Values that have one form wherever their name occurs. */
const BY_NAME: Readonly<Record<string, JsonSchema>> = {
  participants: { type: 'array', items: participantSchema() },
  secretNames: object(Object.fromEntries(KEY_SECRETS.map((name) => [name, string]))),
  format: { type: 'string', enum: ['pem', 'pkcs12'] },
  size: matching('^[0-9]+(Mi|Gi|Ti)$'),
  labels: { type: 'object', additionalProperties: string },
  cidrs: { type: 'array', items: matching('^[0-9a-fA-F.:]+/[0-9]{1,3}$') },
  peers: objects,
  ports: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1, maximum: 65_535 } },
};

/** The settings of detection, and the Secrets with the access. */
function participantSchema(): JsonSchema {
  const { alertsSince, profile } = participants.element.shape;
  /** A certificate in a Secret: `tls.crt` and `tls.key`, or `keystore.p12`. */
  const certificate = object({
    name: string,
    format: { type: 'string', enum: ['pem', 'pkcs12'] },
    passwordKey: string,
  });
  const ofCode = { alertsSince, profile, ...detectionSchema.shape };
  return {
    ...object({
      code: matching('^[A-Za-z0-9]([A-Za-z0-9._-]{0,58}[A-Za-z0-9])?$'),
      ...Object.fromEntries(Object.entries(ofCode).map(([name, schema]) => [name, toJsonSchema(schema)])),
      tokenClientSecretName: string,
      certificateSecret: certificate,
      settlementCertificateSecret: certificate,
      tokenCertificateSecret: certificate,
      poller: {
        description: 'Refused by the templates, with what to do: one poller serves all participants.',
      },
    }),
    required: ['code'],
  };
}

/** An object without further properties. */
function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}

/** The JSON Schema of what a setting or a part of the configuration accepts, or of its parsed value. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-7' });
  return { ...converted, $schema: undefined };
}

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
      secretKey: { ...object({ name: string, key: string }), required: ['name', 'key'] },
      options: object(options),
      ...Object.fromEntries(
        components.map((name) => {
          const shared = Object.keys(options).map((key) => [key, ref(`options/properties/${key}`)] as const);
          const own = childrenOf(values, name).map((value) => {
            const key = lastPart(value.path);
            // A component's own default of an option has the form of the option.
            const schema = key in options ? ref(`options/properties/${key}`) : schemaOf(value, apps);
            return [key, { ...schema, description: value.doc }] as const;
          });
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
  return { ...constrain(value), description };
}

function constrain({ path, default: value, schema }: ChartValue): JsonSchema {
  const configuration = OF_CONFIGURATION[path];
  if (configuration !== undefined) return toJsonSchema(configuration);
  if (schema !== undefined && ('type' in schema || '$ref' in schema)) return schema;
  const known = BY_NAME[lastPart(path)];
  if (schema === undefined && known !== undefined) return known;
  if (typeof value === 'number') return { type: 'integer', minimum: 0, ...schema };
  if (typeof value !== 'object') return { type: typeof value, ...schema };
  const isOpen = Array.isArray(value) || Object.keys(value ?? {}).length === 0;
  if (isOpen && schema === undefined)
    throw new Error(
      `The default of ${path} in values.yaml does not say what is allowed. Add a comment "@schema { … }" below its description.`,
    );
  return { type: Array.isArray(value) ? 'array' : 'object', ...schema };
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
