import { MissingTestError, renderPromisesPage } from './promises.js';

const files = { 'libs/redis-queue/src/queue/dead-letters.spec.ts': "it('are published by a retry')" };

function render(test: string): string {
  return renderPromisesPage(
    `Delivery:\n  - promise: Nothing is lost.\n    tests: [${test}]\n`,
    Object.keys(files),
    (file) => files[file as keyof typeof files],
  );
}

it.each(['dead-letters', 'queue/dead-letters', 'dead-letters › by a retry'])('finds %s', (test) => {
  expect(render(test)).toBe(`## Delivery\n\n- Nothing is lost.\n  - \`${test}\``);
});

it.each(['letters', 'cli/src/dead-letters', 'dead-letters › by another retry'])('refuses %s', (test) => {
  expect(() => render(test)).toThrow(MissingTestError);
});
