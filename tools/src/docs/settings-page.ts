import { commonSettings, type SettingDefinition, type SettingsDefinition } from '@ssb/platform';
import { MANAGED_SETTINGS } from './chart/managed-settings.js';
import { code, renderList } from './markdown.js';

export interface AppSettings {
  readonly name: string;
  readonly definition: SettingsDefinition;
}

const HEAD = `# Settings

<!-- Written by npm run docs from each app's settings.ts; CI fails when it is out of date. -->

Every app reads its settings from the environment once, at start. A wrong or missing one stops it with exit status 78 and a sentence that
names the variable, what was read and what is allowed. An empty variable counts as unset.

Each entry has the variable, its default, what it takes and what it means. The Helm chart sets some of them itself: "chart" names the value that decides.
The others are \`settings\` and \`secretSettings\` of a component.`;

/** A setting, and the apps in which it is the same. */
interface ListedSetting {
  readonly name: string;
  readonly setting: SettingDefinition;
  readonly apps: readonly string[];
}

/** A Markdown page with the settings of every app, of several apps, and of each app. */
export function renderSettingsPage(apps: readonly AppSettings[]): string {
  const settings = listSettings(apps);
  const shared = settings.filter(({ apps: users }) => users.length > 1);
  const sections = apps.map(({ name }) => {
    const own = settings.filter(({ apps: users }) => users.length === 1 && users[0] === name);
    return `## ${name}\n\n${renderList(own.map(renderSetting))}`;
  });
  const common = Object.entries(commonSettings).map(([name, setting]) => ({ name, setting, apps: [] }));
  return [
    HEAD,
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
