import type { Message } from '@ssb/bus';
import { StoppedBeforeStoredError } from '../storage/retry-until-stored.js';
import { Intake } from './message-buffer.js';

const message = (id: string, fqcn = 'a'): Message => ({
  id,
  fqcn,
  payload: '{}',
  signature: '0x',
  sender: 'did:ethr:0x',
  timestampNanos: 1n,
});

/** A store whose groups end when the test says so. */
function gatedStore() {
  const groups: { ids: string[]; succeed: () => void; fail: (error: unknown) => void }[] = [];
  const store = (messages: Message[]) =>
    new Promise<void>((succeed, fail) => groups.push({ ids: messages.map(({ id }) => id), succeed, fail }));
  return { groups, store };
}

describe('Intake', () => {
  it('acknowledges only after the group is stored', async () => {
    const { groups, store } = gatedStore();
    const intake = new Intake(store, 10);
    const acknowledged: string[][] = [];
    intake.offer([message('1'), message('2')], (ids) => acknowledged.push(ids));
    expect(groups).toHaveLength(1);
    expect(acknowledged).toEqual([]);
    groups[0]?.succeed();
    await intake.idle();
    expect(acknowledged).toEqual([['1', '2']]);
    expect(intake.size).toBe(0);
  });

  it('gathers what comes while a group is stored, up to the limit', async () => {
    const { groups, store } = gatedStore();
    const intake = new Intake(store, 2);
    const ignore = () => undefined;
    for (const id of ['1', '2', '3', '4']) intake.offer([message(id)], ignore);
    expect(groups.map(({ ids }) => ids)).toEqual([['1']]);
    groups[0]?.succeed();
    await turn();
    groups[1]?.succeed();
    await turn();
    groups[2]?.succeed();
    await intake.idle();
    expect(groups.map(({ ids }) => ids)).toEqual([['1'], ['2', '3'], ['4']]);
  });

  it('does not take twice what a new connection delivers again, and acknowledges there', async () => {
    const { groups, store } = gatedStore();
    const intake = new Intake(store, 10);
    const onOld: string[][] = [];
    const onNew: string[][] = [];
    intake.offer([message('1')], (ids) => onOld.push(ids));
    intake.offer([message('2')], (ids) => onOld.push(ids));
    intake.offer([message('1'), message('2')], (ids) => onNew.push(ids));
    expect(intake.size).toBe(2);
    groups[0]?.succeed();
    await turn();
    groups[1]?.succeed();
    await intake.idle();
    expect(groups.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
    expect([onOld, onNew]).toEqual([[], [['1'], ['2']]]);
  });

  it('keeps the same id on two channels apart', async () => {
    const { groups, store } = gatedStore();
    const intake = new Intake(store, 10);
    intake.offer([message('1', 'a'), message('1', 'b')], () => undefined);
    expect(groups[0]?.ids).toEqual(['1', '1']);
    groups[0]?.succeed();
    await intake.idle();
  });

  it('acknowledges nothing when it is stopped before the group could be stored', async () => {
    const { groups, store } = gatedStore();
    const intake = new Intake(store, 10);
    const acknowledged: string[][] = [];
    intake.offer([message('1')], (ids) => acknowledged.push(ids));
    intake.offer([message('2')], (ids) => acknowledged.push(ids));
    const stopped = intake.stop();
    groups[0]?.fail(new StoppedBeforeStoredError(1, new Error('the disk is full')));
    await stopped;
    expect(groups).toHaveLength(1);
    expect(acknowledged).toEqual([]);
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
