import { commonSettings, type SettingDefinition, type SettingsDefinition } from '@ssb/platform';

export interface AppSettings {
  readonly name: string;
  readonly definition: SettingsDefinition;
}

const HEAD = `# Settings

<!-- Written by npm run docs from each app's settings.ts; CI fails when it is out of date. -->

Every app reads its settings from the environment once, at start. A wrong or missing one stops it with exit status 78 and a sentence that
names the variable, what was read and what is allowed. An empty variable counts as unset.`;

/** A Markdown page with a table of settings per app. */
export function renderSettingsPage(apps: readonly AppSettings[]): string {
  const sections = apps.map(({ name, definition }) => {
    const ownSettings = Object.entries(definition).filter(([key]) => !(key in commonSettings));
    return `## ${name}\n\n${renderSettings(ownSettings)}`;
  });
  return [HEAD, `## Every app\n\n${renderSettings(Object.entries(commonSettings))}`, ...sections].join(
    '\n\n',
  );
}

function renderSettings(settings: readonly (readonly [string, SettingDefinition])[]): string {
  const rows = settings.map(([name, { schema, default: defaultValue, doc, secret }]) => {
    const accepted = `${escapeCell(schema.description ?? 'any text')}${secret ? ' (secret)' : ''}`;
    return `| ${code(name)} | ${describeDefault(schema, defaultValue)} | ${accepted} | ${escapeCell(doc)} |`;
  });
  return ['| variable | default | takes | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function describeDefault(schema: SettingDefinition['schema'], defaultValue: string | undefined): string {
  if (defaultValue === '') return 'empty';
  if (defaultValue !== undefined) return code(defaultValue);
  const isOptional = schema.safeParse(undefined).success;
  return isOptional ? 'none' : '**required**';
}

function code(text: string): string {
  return `\`${text}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
