import { ResourceStack, InterruptedError } from './resource-stack.js';

describe('a resource stack', () => {
  it('releases everything, last first, each once', async () => {
    const resources = new ResourceStack();
    const given: string[] = [];
    await resources.defer(() => void given.push('redis'));
    await resources.defer(() => void given.push('system'));
    await Promise.all([resources.release(), resources.release()]);
    expect(given).toEqual(['system', 'redis']);
    expect(resources.released).toBe(true);
  });

  it('releases at once what starts too late, and throws', async () => {
    const resources = new ResourceStack();
    await resources.release();
    const given: string[] = [];
    await expect(resources.defer(() => void given.push('late'))).rejects.toThrow(InterruptedError);
    expect(given).toEqual(['late']);
  });

  it('releases the others when one fails, and throws', async () => {
    const resources = new ResourceStack();
    const given: string[] = [];
    await resources.defer(() => void given.push('redis'));
    await resources.defer(() => Promise.reject(new Error('stuck')));
    await expect(resources.release()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(given).toEqual(['redis']);
  });
});
