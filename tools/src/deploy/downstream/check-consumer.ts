import { runAll, runOrFail } from '../deploy-check.js';
import { FORMS, VECTORS_FOLDER, writeKitProgram } from './kit-program.js';

/** Receives one vector from a WebSocket server, acknowledges it, and ends. */
const PROGRAM = `
const read = (name) => JSON.parse(fs.readFileSync(${JSON.stringify(VECTORS_FOLDER)} + '/' + name, 'utf8'));
const [{ message }] = read('valid.json');
const { timestampNanos, ...rest } = message;
const frame = '[' + JSON.stringify(rest).replace(/}$/, ',"timestampNanos":' + timestampNanos + '}]');
const server = new ws.WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: ([first]) => first });
const acknowledged = [];
const closed = new Promise((resolve) => {
  server.on('connection', (socket) => {
    socket.on('message', (data) => acknowledged.push(...JSON.parse(data).ack));
    socket.on('close', resolve);
    socket.send(frame);
  });
});
server.on('listening', async () => {
  const folder = fs.mkdtempSync('store-');
  const consumer = new kit.Consumer({
    url: 'http://127.0.0.1:' + server.address().port,
    user: 'u',
    password: 'p',
    clientId: 'c',
    trust: kit.Trust.fromJson(read('trust.json')),
    store: new kit.FileStore(folder),
  });
  const received = [];
  consumer.on('*', ({ id }) => {
    received.push(id);
    consumer.stop();
  });
  await consumer.run();
  await closed;
  server.close();
  const stored = fs.readFileSync(folder + '/events.jsonl', 'utf8');
  const [id] = received;
  if (received.length !== 1 || acknowledged.join() !== message.id || !stored.includes(id))
    throw new Error(JSON.stringify({ received, acknowledged, stored }));
});
`;

/** Runs a consumer of the installed kit in both forms. @throws CheckFailure unless it receives, saves and acknowledges an event */
export async function checkConsumer(folder: string, node: string): Promise<void> {
  await runAll(FORMS, async (form) => {
    const file = writeKitProgram(folder, 'consumer', form, PROGRAM);
    await runOrFail(node, [file], { cwd: folder, timeoutMs: 60_000 });
  });
}
