import { defineConfig } from 'vitest/config';
import { slim } from './scripts/slim.ts';

export default defineConfig({
  resolve: { alias: slim },
  test: { include: ['test/unit/**/*.test.ts'], environment: 'happy-dom', server: { deps: { inline: ['markdown-it'] } } },
});
