import type { Message } from '@ssb/bus';
import { StoppedBeforeStoredError } from '../storage/retry-until-stored.js';
import { MessageBuffer } from './message-buffer.js';

const message = (id: string, fqcn = 'a'): Message => ({
  id,
  fqcn,
  payload: '{}',
  signature: '0x',
  sender: 'did:ethr:0x',
  timestampNanos: 1n,
});

/** A store whose writes the test completes. */
function createPendingStore() {
  const groups: { ids: string[]; succeed: () => void; fail: (error: unknown) => void }[] = [];
  const store = (messages: Message[]) =>
    new Promise<void>((succeed, fail) => groups.push({ ids: messages.map(({ id }) => id), succeed, fail }));
  return { groups, store };
}

describe('MessageBuffer', () => {
  it('acknowledges only after the group is stored', async () => {
    const { groups, store } = createPendingStore();
    const buffer = new MessageBuffer(store, 10);
    const acknowledged: string[][] = [];
    buffer.add([message('1'), message('2')], (ids) => acknowledged.push(ids));
    expect(groups).toHaveLength(1);
    expect(acknowledged).toEqual([]);
    groups[0]?.succeed();
    await buffer.idle();
    expect(acknowledged).toEqual([['1', '2']]);
    expect(buffer.size).toBe(0);
  });

  it('collects messages while a group is stored, up to the limit', async () => {
    const { groups, store } = createPendingStore();
    const buffer = new MessageBuffer(store, 2);
    const ignore = () => undefined;
    for (const id of ['1', '2', '3', '4']) buffer.add([message(id)], ignore);
    expect(groups.map(({ ids }) => ids)).toEqual([['1']]);
    groups[0]?.succeed();
    await nextTick();
    groups[1]?.succeed();
    await nextTick();
    groups[2]?.succeed();
    await buffer.idle();
    expect(groups.map(({ ids }) => ids)).toEqual([['1'], ['2', '3'], ['4']]);
  });

  it('adds a message that a new connection delivers again only once, and acknowledges it there', async () => {
    const { groups, store } = createPendingStore();
    const buffer = new MessageBuffer(store, 10);
    const onOld: string[][] = [];
    const onNew: string[][] = [];
    buffer.add([message('1')], (ids) => onOld.push(ids));
    buffer.add([message('2')], (ids) => onOld.push(ids));
    buffer.add([message('1'), message('2')], (ids) => onNew.push(ids));
    expect(buffer.size).toBe(2);
    groups[0]?.succeed();
    await nextTick();
    groups[1]?.succeed();
    await buffer.idle();
    expect(groups.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
    expect([onOld, onNew]).toEqual([[], [['1'], ['2']]]);
  });

  it('distinguishes the same id on two channels', async () => {
    const { groups, store } = createPendingStore();
    const buffer = new MessageBuffer(store, 10);
    buffer.add([message('1', 'a'), message('1', 'b')], () => undefined);
    expect(groups[0]?.ids).toEqual(['1', '1']);
    groups[0]?.succeed();
    await buffer.idle();
  });

  it('acknowledges nothing when it stops before the group is stored', async () => {
    const { groups, store } = createPendingStore();
    const buffer = new MessageBuffer(store, 10);
    const acknowledged: string[][] = [];
    buffer.add([message('1')], (ids) => acknowledged.push(ids));
    buffer.add([message('2')], (ids) => acknowledged.push(ids));
    const stopped = buffer.stop();
    groups[0]?.fail(new StoppedBeforeStoredError(1, new Error('the disk is full')));
    await stopped;
    expect(groups).toHaveLength(1);
    expect(acknowledged).toEqual([]);
  });
});

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
