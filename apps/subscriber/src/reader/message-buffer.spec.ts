import type { Message } from '@ssb/bus';
import { OperationStoppedError } from '../database/retry-database.js';
import { MessageBuffer } from './message-buffer.js';

const ignoreLostLease = (): void => undefined;

const message = (id: string, fqcn = 'a'): Message => ({
  id,
  fqcn,
  payload: '{}',
  signature: '0x',
  sender: 'did:ethr:0x',
  timestampNanos: 1n,
});

/** A receiver whose writes the test completes. */
function createPendingReceiver() {
  const batches: { ids: string[]; succeed: () => void; fail: (error: unknown) => void }[] = [];
  const receive = (messages: readonly Message[]) =>
    new Promise<void>((succeed, fail) => batches.push({ ids: messages.map(({ id }) => id), succeed, fail }));
  return { batches, receiver: { receive } };
}

describe('MessageBuffer', () => {
  it('acknowledges only after the batch is stored', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 10);
    const acknowledged: string[][] = [];
    buffer.add([message('1'), message('2')], (ids) => acknowledged.push(ids));
    expect(batches).toHaveLength(1);
    expect(acknowledged).toEqual([]);
    batches[0]?.succeed();
    await nextTick();
    expect(acknowledged).toEqual([['1', '2']]);
    expect(buffer.size).toBe(0);
  });

  it('collects messages while a batch is stored, up to the limit', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 2);
    const ignore = () => undefined;
    for (const id of ['1', '2', '3', '4']) buffer.add([message(id)], ignore);
    expect(batches.map(({ ids }) => ids)).toEqual([['1']]);
    batches[0]?.succeed();
    await nextTick();
    batches[1]?.succeed();
    await nextTick();
    batches[2]?.succeed();
    await nextTick();
    expect(batches.map(({ ids }) => ids)).toEqual([['1'], ['2', '3'], ['4']]);
  });

  it('stores large messages in small batches, and a margin event before those that arrived earlier', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 100);
    const statements = ['1', '2', '3', '4'].map((id) => ({
      ...message(id),
      topic: 'statement.published.v1',
      payload: 'x'.repeat(600_000),
    }));
    buffer.add(statements, () => undefined);
    buffer.add([{ ...message('5', 'b'), topic: 'margin.breached.v1' }], () => undefined);
    for (let batch = 0; batch < 4; batch += 1) {
      batches[batch]?.succeed();
      await nextTick();
    }
    expect(batches.map(({ ids }) => ids)).toEqual([['1'], ['5', '2'], ['3'], ['4']]);
  });

  it('adds a message that a new connection delivers again only once, and acknowledges it there', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 10);
    const onOld: string[][] = [];
    const onNew: string[][] = [];
    buffer.add([message('1')], (ids) => onOld.push(ids));
    buffer.add([message('2')], (ids) => onOld.push(ids));
    buffer.add([message('1'), message('2')], (ids) => onNew.push(ids));
    expect(buffer.size).toBe(2);
    batches[0]?.succeed();
    await nextTick();
    batches[1]?.succeed();
    await nextTick();
    expect(batches.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
    expect([onOld, onNew]).toEqual([[], [['1'], ['2']]]);
  });

  it('distinguishes the same id on two channels', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 10);
    buffer.add([message('1', 'a'), message('1', 'b')], () => undefined);
    expect(batches[0]?.ids).toEqual(['1', '1']);
    batches[0]?.succeed();
    await nextTick();
  });

  it('acknowledges nothing when it stops before the batch is stored', async () => {
    const { batches, receiver } = createPendingReceiver();
    const buffer = new MessageBuffer(receiver, ignoreLostLease, 10);
    const acknowledged: string[][] = [];
    buffer.add([message('1')], (ids) => acknowledged.push(ids));
    buffer.add([message('2')], (ids) => acknowledged.push(ids));
    const stopped = buffer.stop();
    batches[0]?.fail(new OperationStoppedError(1, new Error('the disk is full')));
    await stopped;
    expect(batches).toHaveLength(1);
    expect(acknowledged).toEqual([]);
  });
});

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
