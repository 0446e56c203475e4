// One pass over triplets under t-STE with one degree of freedom: its loss, and its gradient in X.
#include <math.h>
#include <stdint.h>

static inline double pass(const double *restrict X, const int32_t *head, const int32_t *near,
                          const int32_t *far, long rows, int n, double *restrict out) {
  double total = 0, product = 1;
  for (long r = 0; r < rows; r++) {
    const long i = (long)head[r] * n, j = (long)near[r] * n, k = (long)far[r] * n;
    double d_near = 1, d_far = 1;
    for (int c = 0; c < n; c++) {
      const double to_near = X[i + c] - X[j + c], to_far = X[i + c] - X[k + c];
      d_near += to_near * to_near;
      d_far += to_far * to_far;
    }
    product *= (d_near + d_far) / d_far;
    if (product > 1e100) {
      total += log(product);
      product = 1;
    }
    const double pull_near = 2 / (d_near + d_far), pull_far = pull_near - 2 / d_far;
    for (int c = 0; c < n; c++) {
      const double to_near = pull_near * (X[i + c] - X[j + c]);
      const double to_far = pull_far * (X[i + c] - X[k + c]);
      out[i + c] += to_near + to_far;
      out[j + c] -= to_near;
      out[k + c] -= to_far;
    }
  }
  return total + log(product);
}

double evaluate(const double *X, const int32_t *head, const int32_t *near, const int32_t *far,
                long rows, int n, double *out) {
  if (n == 2) return pass(X, head, near, far, rows, 2, out);
  if (n == 3) return pass(X, head, near, far, rows, 3, out);
  return pass(X, head, near, far, rows, n, out);
}
