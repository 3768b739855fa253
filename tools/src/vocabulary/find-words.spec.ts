import { createWordFinder } from './find-words.js';

const find = createWordFinder({
  words: [
    { forms: ['gate', 'gates'], use: 'API' },
    { forms: ['at last'], use: 'finally' },
    { forms: ['guest'], use: 'user', except: "'guest'" },
  ],
  names: [{ pattern: '\\w+Watcher', use: 'Service' }],
});

describe('words that the project does not use', () => {
  it.each([
    ['a comment', '// opens the gate', 'gate'],
    ['a plural', 'two gates', 'gates'],
    ['a camel-case name', 'const openGate = 1;', 'Gate'],
    ['a constant', 'GATE_PORT', 'GATE'],
    ['a kebab-case name', 'side-gate', 'gate'],
    ['a phrase that a comment breaks into two lines', ' * works at\n * last', 'at last'],
  ])('are found in %s', (_, text, word) => {
    expect(find('a.md', text)).toMatchObject([{ line: 1, word }]);
  });

  it('are found in a path, with the words to use instead', () => {
    expect(find('src/gate.ts', '')).toEqual([{ line: 0, word: 'gate', use: 'API' }]);
  });

  it.each(['gateway', 'Gateway', 'investigate', 'AGATES', 'at lasting'])('are not found in %s', (text) => {
    expect(find('a.md', text)).toEqual([]);
  });
});

it('are allowed where the list makes an exception', () => {
  expect(find('a.ts', "const account = 'guest';")).toEqual([]);
  expect(find('a.ts', "const account = 'guest'; // the guest")).toMatchObject([{ line: 1, word: 'guest' }]);
});

describe('names that the project does not use', () => {
  it('are found in source files with their line', () => {
    expect(find('a.ts', '\nclass FileWatcher {}')).toEqual([
      { line: 2, word: 'FileWatcher', use: 'Service' },
    ]);
  });

  it('are not looked for in docs', () => {
    expect(find('a.md', 'FileWatcher')).toEqual([]);
  });
});
