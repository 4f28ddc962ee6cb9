import { defineConfig } from 'vitest/config';
import { slim } from './scripts/slim.ts';

export default defineConfig({
  resolve: { alias: slim },
  // The limit ends what hangs; it says nothing about speed, which a busy machine decides.
  test: { include: ['test/unit/**/*.test.ts'], testTimeout: 180_000, environment: 'happy-dom', server: { deps: { inline: ['markdown-it'] } } },
});
