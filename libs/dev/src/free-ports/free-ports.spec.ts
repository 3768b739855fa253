import { once } from 'node:events';
import { freePort, freePorts, tryListen } from './free-ports.js';

it('never gives a port twice, even before a server listens on it', async () => {
  const blocks = Array.from({ length: 20 }, () => freePorts(11));
  const single = Array.from({ length: 40 }, () => freePort());
  const given = [...(await Promise.all(blocks)).flat(), ...(await Promise.all(single))];
  expect(given).toHaveLength(20 * 11 + 40);
  expect(new Set(given).size).toBe(given.length);
});

it('gives ports that can be listened on, outside the range of outgoing connections', async () => {
  for (const port of [...(await freePorts(3)), await freePort()]) {
    expect(port).toBeLessThan(32_768);
    const server = await tryListen(port);
    expect(server?.address()).toMatchObject({ port });
    expect(await tryListen(port)).toBeUndefined();
    server?.close();
    await once(server ?? process, 'close');
  }
});

it('gives no more ports than a block has', async () => {
  await expect(freePorts(16)).rejects.toThrow('freePorts gives at most 15 ports, but 16 were requested.');
});
