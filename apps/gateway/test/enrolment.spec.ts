import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { startRealBroker, USER_ROLE, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/**
 * Document 002, "States and transitions", against the real broker: what is approved is synced to the DID document, by the listener
 * and without it. Between gateway and broker lies a line that can let everything pass but the listener's stream.
 */
let broker: RealBroker;
let line: Awaited<ReturnType<typeof openLine>>;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startRealBroker();
  line = await openLine(Number(new URL(broker.url).port));
  gateway = await startGateway(line.url);
});

afterEach(() => line.letStreamsPass(true));

afterAll(async () => {
  await gateway?.stop();
  await line?.close();
  await broker?.stop();
});

async function openLine(target: number) {
  const open = new Set<Socket>();
  const streams = new Set<Socket>();
  let streamsPass = true;
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1');
    for (const each of [socket, onward]) {
      open.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        for (const end of [socket, onward]) end.destroy();
        open.delete(each);
        streams.delete(each);
      });
    }
    socket.once('data', (start: Buffer) => {
      const isStream = /^upgrade: *websocket/im.test(start.toString('latin1'));
      if (isStream) streams.add(socket);
      if (isStream && !streamsPass) return void socket.destroy();
      onward.write(start);
      socket.pipe(onward);
    });
    onward.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whether streams may be opened; if not, those that are open are cut. */
    letStreamsPass: (pass: boolean) => {
      streamsPass = pass;
      if (!pass) for (const each of streams) each.destroy();
    },
    close: async () => {
      for (const each of open) each.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function enrolled(): Promise<string> {
  await gateway.client.setIdentity(generatePrivateKey().toHex());
  return (await gateway.client.enrol()).did;
}

async function listening(since: number): Promise<void> {
  await waitFor('the listener', () => gateway.logged().slice(since).includes('stream-connected'));
}

const documented = (did: string) =>
  waitFor('the role in the DID document', async () =>
    (await broker.documentedRoles(did)).includes(USER_ROLE),
  );

async function gauge(): Promise<string | undefined> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return /^gateway_enrolled (\d)/m.exec(metrics)?.[1];
}

describe('an approved claim', () => {
  it('is synced to the DID document when the issuer decides, without anybody asking', async () => {
    const since = gateway.logged().length;
    const did = await enrolled();
    await listening(since);
    expect(await broker.documentedRoles(did)).toEqual([]);
    await broker.decide(did, 'approve');
    await documented(did);
    await waitFor('the gauge', async () => (await gauge()) === '1');
  });

  it('is synced after a restart of the gateway that was away when the issuer decided', async () => {
    line.letStreamsPass(false);
    const did = await enrolled();
    await gateway.restart();
    await broker.decide(did, 'approve');
    expect(await broker.documentedRoles(did)).toEqual([]);
    // Only the listener can sync it now: nobody asks this gateway anything.
    line.letStreamsPass(true);
    await documented(did);
  });

  it('is found and synced when enrolment is read, the event being missed', async () => {
    line.letStreamsPass(false);
    const did = await enrolled();
    await broker.decide(did, 'approve');
    expect(await broker.documentedRoles(did)).toEqual([]);
    expect((await gateway.client.enrolment()).state).toMatchObject({
      ready: true,
      roles: { user: 'APPROVED' },
    });
    expect(await broker.documentedRoles(did)).toEqual([USER_ROLE]);
  });

  it('is found and synced when enrolment is asked for again, which listens again too', async () => {
    line.letStreamsPass(false);
    const did = await enrolled();
    await broker.decide(did, 'approve');
    expect((await gateway.client.enrol()).state).toMatchObject({ ready: true, waiting: false });
    expect(await broker.documentedRoles(did)).toEqual([USER_ROLE]);
    const since = gateway.logged().length;
    line.letStreamsPass(true);
    await gateway.client.enrol();
    await listening(since);
  });

  it('goes from the document with its revocation, and comes back with the next approval', async () => {
    const since = gateway.logged().length;
    const did = await enrolled();
    await listening(since);
    await broker.decide(did, 'approve');
    await documented(did);
    await broker.decide(did, 'revoke');
    expect((await gateway.client.enrolment()).state).toMatchObject({
      ready: false,
      roles: { user: 'NO_CLAIM' },
    });
    expect(await broker.documentedRoles(did)).toEqual([]);
    expect(await gauge()).toBe('0');
  });
});

describe('the listener', () => {
  it('is started at once by an enrol, however long its pause would last', async () => {
    line.letStreamsPass(false);
    const patient = await startGateway(line.url, { BROKER_MAX_RETRY_DELAY_MS: '300000' });
    try {
      await patient.client.setIdentity(generatePrivateKey().toHex());
      const pauses = () => [...patient.logged().matchAll(/"retryInMs":(\d+)/g)];
      // Each enrol is an attempt, and each one that fails makes the pause longer.
      const { did } = await waitFor('a pause of more than a minute', async () => {
        if (Number(pauses().at(-1)?.[1] ?? 0) <= 60_000) await patient.client.enrol();
        else return patient.client.enrolment();
        return false;
      });
      line.letStreamsPass(true);
      await patient.client.enrol();
      await waitFor('the listener', () => patient.logged().includes('stream-connected'));
      await broker.decide(did, 'approve');
      await documented(did);
    } finally {
      await patient.stop();
    }
  });
});

describe('a claim that is not approved', () => {
  it('leaves document and flags alone when it is rejected', async () => {
    const did = await enrolled();
    await broker.decide(did, 'reject');
    expect((await gateway.client.enrolment()).state).toMatchObject({ ready: false, waiting: false });
    expect(await broker.documentedRoles(did)).toEqual([]);
  });

  it('is nobody’s business once the identity has changed', async () => {
    const since = gateway.logged().length;
    const before = await enrolled();
    await listening(since);
    await gateway.client.setIdentity(generatePrivateKey().toHex());
    await broker.decide(before, 'approve');
    expect((await gateway.client.enrolment()).state).toMatchObject({
      ready: false,
      roles: { user: 'NO_CLAIM' },
    });
    expect(await gauge()).toBe('0');
    expect(await broker.documentedRoles(before)).toEqual([]);
  });
});
