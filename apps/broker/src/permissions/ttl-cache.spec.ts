import { Remembered } from './ttl-cache.js';

/** A source whose answers the test gives by hand, and a clock that it moves. */
function source() {
  const asked: { key: string; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const state = { now: 1, informed: true };
  const memory = new Remembered<string>(
    (key) =>
      new Promise((resolve, reject) => {
        asked.push({ key, answer: resolve, fail: reject });
      }),
    () => state.informed,
    () => state.now,
  );
  return { asked, state, memory };
}

describe('what is remembered', () => {
  it('is asked for once by all who want it within its life, and again afterwards', async () => {
    const { asked, state, memory } = source();
    const [one, two] = [memory.get('k'), memory.get('k')];
    asked[0]?.answer('a');
    expect([await one, await two]).toEqual(['a', 'a']);
    state.now = 1_001;
    expect([await memory.get('k'), asked.length]).toEqual(['a', 1]);
    state.now = 1_002;
    void memory.get('k');
    expect(asked).toHaveLength(2);
  });

  it('is counted from the question, not from the answer', () => {
    const { asked, state, memory } = source();
    void memory.get('k');
    state.now = 1_002;
    void memory.get('k');
    expect(asked).toHaveLength(2);
  });

  it.each([['k'], [undefined]])(
    'is asked for anew after a change of %s, though an answer is under way',
    async (key) => {
      const { asked, memory } = source();
      const before = memory.get('k');
      memory.forget(key);
      const after = memory.get('k');
      asked[1]?.answer('new');
      asked[0]?.answer('old');
      expect([await before, await after, await memory.get('k')]).toEqual(['old', 'new', 'new']);
    },
  );

  it('stays when another key changes', async () => {
    const { asked, memory } = source();
    const first = memory.get('k');
    asked[0]?.answer('a');
    await first;
    memory.forget('other');
    expect([await memory.get('k'), asked.length]).toEqual(['a', 1]);
  });

  it('is nothing while no changes are told', () => {
    const { asked, state, memory } = source();
    void memory.get('k');
    state.informed = false;
    void memory.get('k');
    void memory.get('k');
    expect(asked).toHaveLength(3);
  });

  it('is no failure', async () => {
    const { asked, memory } = source();
    const failing = memory.get('k');
    asked[0]?.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    void memory.get('k');
    expect(asked).toHaveLength(2);
  });

  it('is at most 10,000 answers', () => {
    const { asked, memory } = source();
    for (let key = 0; key < 10_001; key += 1) void memory.get(String(key));
    void memory.get('1');
    expect(asked).toHaveLength(10_001);
    void memory.get('0');
    expect(asked).toHaveLength(10_002);
  });
});
