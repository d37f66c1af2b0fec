import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";

import type { makeRouter } from "./router";
import { offline, Problem } from "./services/api";

/** Only what may pass by itself is asked again. */
function retry(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof Problem && (error.code === offline || error.code === "unavailable");
}

/** A session that ended, wherever that shows, leads to the sign-in page. */
export function makeQueries(router: ReturnType<typeof makeRouter>): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof Problem && error.code === "unauthorized") void router.navigate({ to: "/signin" });
      },
    }),
    defaultOptions: { queries: { retry } },
  });
}

export function App({ router, queries }: { router: ReturnType<typeof makeRouter>; queries: QueryClient }) {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
