import { commonSettings, defineSettings, integer, optional, text } from '@ssb/platform';
import { renderSettingsPage } from './settings-page.js';

const definition = defineSettings({
  ...commonSettings,
  PORT: { schema: integer({ min: 1, max: 9 }), default: '4', doc: 'Where it listens.' },
  KEY: { schema: text('a key'), doc: 'Opens a|b.', secret: true },
  NICKNAME: { schema: optional(text('a name')), doc: 'Shown.' },
  PREFIX: { schema: text(), default: '', doc: 'Put before.' },
});

const page = renderSettingsPage([{ name: 'example', definition }]);

describe('the settings page', () => {
  it.each([
    ['a default', '| `PORT` | `4` | a whole number from 1 to 9 | Where it listens. |'],
    ['a required secret, with its bars escaped', '| `KEY` | **required** | a key (secret) | Opens a\\|b. |'],
    ['an optional setting', '| `NICKNAME` | none | a name | Shown. |'],
    ['an empty default', '| `PREFIX` | empty | any text | Put before. |'],
  ])('shows %s', (_, row) => {
    expect(page.split('\n')).toContain(row);
  });

  it('lists common settings once, and not again under an app', () => {
    const [before = '', own = ''] = page.split('## example');
    expect(before).toContain('`LOG_LEVEL`');
    expect(own).not.toContain('`LOG_LEVEL`');
  });
});
