import { EVENT_TYPES } from '@ssb/events';
import { renderEventsPage } from './events-page.js';

const sections = new Map(
  `\n${renderEventsPage()}`.split('\n## ').map((section) => [section.split('\n', 1)[0], section]),
);

it('has a section for each type, and all of them in the overview', () => {
  const names = EVENT_TYPES.map((type) => type.replace(/^settlementbus\.|\.v1$/g, ''));
  expect([...sections.keys()]).toEqual(['', 'Identity', 'Overview', ...names]);
  for (const name of names) expect(sections.get('Overview')).toContain(`| [${name}](#`);
});
