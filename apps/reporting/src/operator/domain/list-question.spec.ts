import { readListQuestion } from './list-question.js';

describe('the question of a listing', () => {
  it.each([
    [{}, { limit: 20 }],
    [{ limit: '100' }, { limit: 100 }],
    [
      { participant: 'WPGENCO', after: '12', limit: '1' },
      { participant: 'WPGENCO', after: '12', limit: 1 },
    ],
  ])('%j', (query, question) => {
    expect(readListQuestion(query)).toEqual({ ok: true, question });
  });

  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
    [{ limit: '1e1' }, 'limit'],
    [{ limit: ['1', '2'] }, 'limit'],
    [{ after: '-1' }, 'after'],
    [{ after: '9'.repeat(19) }, 'after'],
    [{ after: "1' OR 1=1" }, 'after'],
    [{ participant: '' }, 'participant'],
    [{ participant: ['A', 'B'] }, 'participant'],
    [{ page: '2' }, 'page'],
  ])('%j is refused for %s', (query, parameter) => {
    expect(readListQuestion(query)).toMatchObject({ ok: false, parameter });
  });
});
