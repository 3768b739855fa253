import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { importSettings } from '../app-modules.js';
import { isManaged, MANAGED_SETTINGS, REPLACED_SETTINGS } from './managed-settings.js';
import { readChartValues } from './values-file.js';
import { KEY_SECRETS } from './values-schema.js';

const apps = await importSettings();

describe('the settings that the chart sets itself', () => {
  it('are settings of an app', () => {
    const settings = new Set(apps.flatMap(({ definition }) => Object.keys(definition)));
    const listed = [...Object.keys(MANAGED_SETTINGS), ...REPLACED_SETTINGS];
    expect(listed.filter((name) => !settings.has(name))).toEqual([]);
  });

  it('include every required one', () => {
    const required = apps.flatMap(({ name: app, definition }) =>
      Object.entries(definition)
        .filter(
          ([name, { schema, default: fallback }]) =>
            !isManaged(name) && fallback === undefined && !schema.safeParse(undefined).success,
        )
        .map(([name]) => `${app}: ${name}`),
    );
    expect(required).toEqual([]);
  });
});

it('the example of a secret store has every Secret with keys', () => {
  const file = 'helm/settlement-bus-bridge/examples/secrets/external-secrets.yaml';
  const text = readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
  const keys = KEY_SECRETS.filter((name) => name.endsWith('-keys') && name !== 'sandbox-keys');
  expect(
    keys.filter((name) => !text.includes(`target: { name: bridge-settlement-bus-bridge-${name} }`)),
  ).toEqual([]);
});

it('refuses a value without a description', () => {
  expect(() => readChartValues('a:\n  # -- Text.\n  b: 1\n  c: 2\n')).toThrow(
    'The value a.c of values.yaml has no description.',
  );
});
