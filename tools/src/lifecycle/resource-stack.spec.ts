import { InterruptedError, ResourceStack } from './resource-stack.js';

describe('ResourceStack', () => {
  it('releases all resources once, in reverse order', async () => {
    const resources = new ResourceStack();
    const order: string[] = [];
    await resources.defer(() => void order.push('redis'));
    await resources.defer(() => void order.push('system'));
    await Promise.all([resources.release(), resources.release()]);
    expect(order).toEqual(['system', 'redis']);
    expect(resources.released).toBe(true);
  });

  it('releases a resource at once and throws when the stack was released before', async () => {
    const resources = new ResourceStack();
    await resources.release();
    const order: string[] = [];
    await expect(resources.defer(() => void order.push('late'))).rejects.toThrow(InterruptedError);
    expect(order).toEqual(['late']);
  });

  it('releases the other resources when one release fails, and throws', async () => {
    const resources = new ResourceStack();
    const order: string[] = [];
    await resources.defer(() => void order.push('redis'));
    await resources.defer(() => Promise.reject(new Error('stuck')));
    await expect(resources.release()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(order).toEqual(['redis']);
  });
});
