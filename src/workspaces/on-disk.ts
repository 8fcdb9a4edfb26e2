import { AppError } from '../platform/errors/app-error.js';

/** A full disk is reported as such whether git or this process met it. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw new AppError('storage_full');
    throw error;
  }
}
