import { parseSubjectLines, parseSubjectText, subjectKey } from './distinguished-name.js';

const pairs = (name: ReturnType<typeof parseSubjectLines>) => name.map(({ type, value }) => [type, value]);

describe('parseSubjectLines', () => {
  it.each<[string, string[][]]>([
    ['CN=WPGENCO', [['CN', 'WPGENCO']]],
    [
      'C=AU\nO=Genco\nCN=WPGENCO',
      [
        ['C', 'AU'],
        ['O', 'Genco'],
        ['CN', 'WPGENCO'],
      ],
    ],
    [
      'CN=WPGENCO + OU=Trading',
      [
        ['CN', 'WPGENCO'],
        ['OU', 'Trading'],
      ],
    ],
    ['CN=A\\, B \\+ C', [['CN', 'A, B + C']]],
    ['CN=A\\0ACN=B', [['CN', 'A\nCN=B']]],
    ['CN=\\C3\\86r\\C3\\B8', [['CN', 'Ærø']]],
    ['', []],
  ])('reads %j', (subject, expected) => {
    expect(pairs(parseSubjectLines(subject))).toEqual(expected);
  });
});

it.each([['C=AU,O=Genco,CN=client-7'], ['C = AU, O = Genco, CN = client-7'], ['c=AU, o=Genco, cn=client-7']])(
  'knows %s as the same name as the certificate’s',
  (text) => {
    const certified = parseSubjectLines('C=AU\nO=Genco\nCN=client-7');
    expect(subjectKey(parseSubjectText(text))).toBe(subjectKey(certified));
  },
);

it('tells names apart that differ in a value alone', () => {
  expect(subjectKey(parseSubjectText('O=Genco'))).not.toBe(subjectKey(parseSubjectText('O=genco')));
});
