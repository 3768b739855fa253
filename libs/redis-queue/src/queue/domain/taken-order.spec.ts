import { TakenOrder } from './taken-order.js';

/** The order in which jobs start that become ready in the given order. */
async function startOrder(order: TakenOrder, ready: readonly string[]): Promise<string[]> {
  const started: string[] = [];
  await Promise.all(ready.map(async (id) => order.waitForTurn(id).then(() => started.push(id))));
  return started;
}

describe('jobs start', () => {
  it('in the order in which they were taken, whichever is ready first', async () => {
    const order = new TakenOrder();
    for (const id of ['a', 'b', 'c', 'd']) order.add(id);
    expect(await startOrder(order, ['c', 'b', 'd', 'a'])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('without those that go back to the queue', async () => {
    const order = new TakenOrder();
    for (const id of ['a', 'b', 'c']) order.add(id);
    const started = startOrder(order, ['c', 'b']);
    order.remove('a');
    expect(await started).toEqual(['b', 'c']);
  });

  it('after the maximum wait although an earlier one never does', async () => {
    const order = new TakenOrder(10);
    for (const id of ['lost', 'a', 'lost too', 'b']) order.add(id);
    expect(await startOrder(order, ['b', 'a'])).toEqual(['a', 'b']);
    order.add('c');
    expect(await startOrder(order, ['c'])).toEqual(['c']);
  });

  it('each time that they were taken, also when they wait twice', async () => {
    const order = new TakenOrder();
    for (const id of ['a', 'b', 'b']) order.add(id);
    expect(await startOrder(order, ['b', 'b', 'a'])).toEqual(['b', 'a', 'b']);
  });

  it('at once when nothing was taken before them', async () => {
    expect(await startOrder(new TakenOrder(), ['unknown'])).toEqual(['unknown']);
  });
});
