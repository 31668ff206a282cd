-- reinforce.lua: PyTorch's example "reinforcement_learning": REINFORCE learns to balance a pole on a cart. The cart is simulated here.
--
--   tocha examples/pytorch/reinforce.lua [episodes]
local torch = require "torch"
local nn, F, optim = torch.nn, torch.nn.functional, torch.optim
local Categorical = torch.distributions.Categorical

-- ---- the cart and its pole: position, speed, angle, speed of the angle ----

local CartPole = {gravity = 9.8, masscart = 1.0, masspole = 0.1, length = 0.5, force_mag = 10.0, tau = 0.02}
CartPole.__index = CartPole

function CartPole:reset()
  self.state = (torch.rand(4, {dtype = torch.float64}) * 0.1 - 0.05):tolist()
  return self.state
end

function CartPole:step(action)
  local x, x_dot, theta, theta_dot = table.unpack(self.state)
  local force = action == 1 and self.force_mag or -self.force_mag
  local costheta, sintheta = math.cos(theta), math.sin(theta)
  local total_mass, polemass_length = self.masscart + self.masspole, self.masspole * self.length
  local temp = (force + polemass_length * theta_dot * theta_dot * sintheta) / total_mass
  local thetaacc = (self.gravity * sintheta - costheta * temp) /
    (self.length * (4.0 / 3.0 - self.masspole * costheta * costheta / total_mass))
  local xacc = temp - polemass_length * thetaacc * costheta / total_mass
  self.state = {x + self.tau * x_dot, x_dot + self.tau * xacc, theta + self.tau * theta_dot, theta_dot + self.tau * thetaacc}
  local done = math.abs(self.state[1]) > 2.4 or math.abs(self.state[3]) > 12 * 2 * math.pi / 360
  return self.state, 1.0, done
end

-- ---- the policy ----

local Policy = nn.Module:extend "Policy"

function Policy:init()
  self.affine1 = nn.Linear(4, 128)
  self.dropout = nn.Dropout{p = 0.6}
  self.affine2 = nn.Linear(128, 2)
  self.saved_log_probs = {}
  self.rewards = {}
end

function Policy:forward(x)
  x = self.affine1(x)
  x = self.dropout(x)
  x = F.relu(x)
  local action_scores = self.affine2(x)
  return F.softmax(action_scores, {dim = 1})
end

torch.manual_seed(543)
local env = setmetatable({}, CartPole)
local policy = Policy()
local optimizer = optim.Adam(policy:parameters(), {lr = 1e-2})
local gamma, eps = 0.99, torch.finfo(torch.float32).eps

local function select_action(state)
  local probs = policy(torch.tensor(state, {dtype = torch.float32}):unsqueeze(0))
  local m = Categorical(probs)
  local action = m:sample()
  table.insert(policy.saved_log_probs, m:log_prob(action))
  return action:item()
end

local function finish_episode()
  local R, policy_loss, returns = 0, {}, {}
  for i = #policy.rewards, 1, -1 do
    R = policy.rewards[i] + gamma * R
    table.insert(returns, 1, R)
  end
  returns = torch.tensor(returns)
  returns = (returns - returns:mean()) / (returns:std() + eps)
  for i, log_prob in ipairs(policy.saved_log_probs) do
    policy_loss[i] = -log_prob * returns[i - 1]
  end
  optimizer:zero_grad()
  policy_loss = torch.cat(policy_loss):sum()
  policy_loss:backward()
  optimizer:step()
  policy.rewards, policy.saved_log_probs = {}, {}
  return policy_loss
end

local running_reward = 10
for i_episode = 1, tonumber(arg and arg[1]) or 20 do
  local state, ep_reward = env:reset(), 0
  for _ = 1, 9999 do                         -- don't infinite loop while learning
    local action = select_action(state)
    local reward, done
    state, reward, done = env:step(action)
    table.insert(policy.rewards, reward)
    ep_reward = ep_reward + reward
    if done then break end
  end
  running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
  local loss = finish_episode()
  print(torch.format("Episode %d\tLast reward: %.2f\tAverage reward: %.2f\tLoss: %.5f", i_episode, ep_reward, running_reward, loss))
  if running_reward > 475 then
    print(("Solved! Running reward is now %.2f"):format(running_reward))
    break
  end
end
