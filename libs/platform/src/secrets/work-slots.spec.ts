import { NoSlotError, WorkSlots } from './work-slots.js';

function deferred() {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { done, finish };
}

describe('WorkSlots', () => {
  it('runs as many as it has slots, keeps the next in line and refuses the rest', async () => {
    const slots = new WorkSlots(1, 1);
    const order: string[] = [];
    const first = deferred();
    const running = slots.run(async () => {
      order.push('first');
      await first.done;
    });
    const waiting = slots.run(() => Promise.resolve(order.push('second')));
    await expect(slots.run(() => Promise.resolve())).rejects.toThrow(NoSlotError);
    expect(order).toEqual(['first']);
    first.finish();
    await Promise.all([running, waiting]);
    expect(order).toEqual(['first', 'second']);
  });

  it('frees the slot of a task that fails', async () => {
    const slots = new WorkSlots(1, 0);
    await expect(slots.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run(() => Promise.resolve('yes'))).toBe('yes');
  });
});
