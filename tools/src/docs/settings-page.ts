import { commonSettings, type SettingDefinition, type SettingsDefinition } from '@ssb/platform';

export interface AppSettings {
  readonly name: string;
  readonly definition: SettingsDefinition;
}

const HEAD = `# Settings

<!-- Written by npm run docs from each app's settings.ts; CI fails when it is out of date. -->

Every app reads its settings from the environment once, at start. A wrong or missing one stops it with exit status 78 and a sentence that
names the variable, what was read and what is allowed. An empty variable counts as unset.`;

/** The table of all settings, Markdown. Pure. */
export function settingsPage(apps: readonly AppSettings[]): string {
  const sections = apps.map(({ name, definition }) => {
    const own = Object.entries(definition).filter(([key]) => !(key in commonSettings));
    return `## ${name}\n\n${table(own)}`;
  });
  return [HEAD, `## Every app\n\n${table(Object.entries(commonSettings))}`, ...sections].join('\n\n');
}

function table(settings: readonly (readonly [string, SettingDefinition])[]): string {
  const rows = settings.map(([name, { schema, default: given, doc, secret }]) => {
    const byDefault =
      given === undefined
        ? isOptional(schema)
          ? 'none'
          : '**required**'
        : given === ''
          ? 'empty'
          : code(given);
    return `| ${code(name)} | ${byDefault} | ${cell(schema.description ?? 'any text')}${secret ? ' (secret)' : ''} | ${cell(doc)} |`;
  });
  return ['| variable | default | takes | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function isOptional(schema: SettingDefinition['schema']): boolean {
  return schema.safeParse(undefined).success;
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
