import { commonSettings, defineSettings, integer, optional, text } from '@ssb/platform';
import { renderSettingsPage } from './settings-page.js';

const shared = { NICKNAME: { schema: optional(text('a name')), doc: 'Shown.' } };
const definition = defineSettings({
  ...commonSettings,
  ...shared,
  PORT: { schema: integer({ min: 1, max: 9 }), default: '4', doc: 'Where it listens.' },
  KEY: { schema: text('a key'), doc: 'Opens doors.', secret: true },
  PREFIX: { schema: text(), default: '', doc: 'Put before.' },
});
const other = defineSettings({
  ...commonSettings,
  ...shared,
  PORT: { schema: integer({ min: 1, max: 9 }), default: '5', doc: 'Where it listens.' },
});

const page = renderSettingsPage([
  { name: 'example', definition },
  { name: 'other', definition: other },
]);
const sections = new Map(page.split('\n## ').map((section) => [section.split('\n', 1)[0], section]));

describe('the settings page', () => {
  it.each([
    [
      'example',
      '- `PORT`: `4`; a whole number from 1 to 9. Where it listens. Chart: the port of the component.',
    ],
    ['example', '- `KEY`: **required**; a key (secret). Opens doors.'],
    ['example', '- `PREFIX`: empty; any text. Put before.'],
    [
      'other',
      '- `PORT`: `5`; a whole number from 1 to 9. Where it listens. Chart: the port of the component.',
    ],
    ['Several apps', '- `NICKNAME` (example, other): unset; a name. Shown.'],
  ])('has in the section %s: %s', (section, line) => {
    expect(sections.get(section)?.split('\n')).toContain(line);
  });

  it('lists a setting of every app or of several apps only once', () => {
    for (const name of ['LOG_LEVEL', 'NICKNAME']) expect(page.split(`\`${name}\``)).toHaveLength(2);
  });
});
