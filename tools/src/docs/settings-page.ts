import { commonSettings, type SettingDefinition, type SettingsDefinition } from '@ssb/platform';
import { MANAGED_SETTINGS } from './chart/managed-settings.js';
import { code, renderList } from './markdown.js';

export interface AppSettings {
  readonly name: string;
  readonly definition: SettingsDefinition;
}

/** A setting, and the apps in which it is the same. */
interface ListedSetting {
  readonly name: string;
  readonly setting: SettingDefinition;
  readonly apps: readonly string[];
}

/** The settings of every app, of several apps, and of each app. */
export function renderSettingsPage(apps: readonly AppSettings[]): string {
  const settings = listSettings(apps);
  const shared = settings.filter(({ apps: users }) => users.length > 1);
  const sections = apps.map(({ name }) => {
    const own = settings.filter(({ apps: users }) => users.length === 1 && users[0] === name);
    return `## ${name}\n\n${renderList(own.map(renderSetting))}`;
  });
  const common = Object.entries(commonSettings).map(([name, setting]) => ({ name, setting, apps: [] }));
  return [
    `## Every app\n\n${renderList(common.map(renderSetting))}`,
    `## Several apps\n\n${renderList(shared.map(renderSetting))}`,
    ...sections,
  ].join('\n\n');
}

/** Without the common settings. Apps can have different settings of one name. */
function listSettings(apps: readonly AppSettings[]): ListedSetting[] {
  const listed = new Map<string, ListedSetting & { readonly apps: string[] }>();
  for (const { name: app, definition } of apps)
    for (const [name, setting] of Object.entries(definition)) {
      if (name in commonSettings) continue;
      const key = `${name} ${describeSetting(name, setting)}`;
      const known = listed.get(key) ?? { name, setting, apps: [] };
      known.apps.push(app);
      listed.set(key, known);
    }
  return [...listed.values()];
}

function renderSetting({ name, setting, apps }: ListedSetting): string {
  const users = apps.length > 1 ? ` (${apps.join(', ')})` : '';
  return `${code(name)}${users}: ${describeSetting(name, setting)}`;
}

function describeSetting(
  name: string,
  { schema, default: defaultValue, doc, secret }: SettingDefinition,
): string {
  const chartValue = MANAGED_SETTINGS[name];
  return [
    `${describeDefault(schema, defaultValue)}; ${schema.description ?? 'any text'}${secret ? ' (secret)' : ''}.`,
    doc,
    ...(chartValue === undefined ? [] : [`Chart: ${chartValue}.`]),
  ].join(' ');
}

function describeDefault(schema: SettingDefinition['schema'], defaultValue: string | undefined): string {
  if (defaultValue === '') return 'empty';
  if (defaultValue !== undefined) return code(defaultValue);
  const isOptional = schema.safeParse(undefined).success;
  return isOptional ? 'unset' : '**required**';
}
