import type { SettingsDefinition } from '@ssb/platform';

/** One line for each setting: name, what it takes, default, what it is for. */
export function settingsHelp(definition: SettingsDefinition): string {
  const lines = Object.entries(definition).map(([name, { schema, default: fallback, doc }]) => {
    const takes = schema.description ?? 'any text';
    const unset = fallback === undefined ? '' : ` Default: ${fallback}.`;
    return `  ${name}\n      ${doc} It takes ${takes}.${unset}`;
  });
  return ['', 'Settings, as environment variables:', ...lines].join('\n');
}
