# Ruby clients: `ruby clients.rb net-http` does one task with Net::HTTP. All settings are
# the defaults. Each one gets the URL, and for a POST the body.

require "json"

TYPE = { "Content-Type" => "application/json" }.freeze

CLIENTS = {
  "net-http" => lambda do |url, body|
    require "net/http"
    uri = URI(url)
    response = body ? Net::HTTP.post(uri, body, TYPE) : Net::HTTP.get_response(uri)
    [response.code.to_i, response["Retry-After"], response.body]
  end
}.freeze

def result(client)
  body = '{"task": "resize"}' if ENV["LAB_TASK"] == "post-once"
  status, after, text = client.call(ENV["LAB_URL"], body)
  return JSON.parse(text) if status == 200
  return { status: status } if status < 400

  { error: "refused", status: status, retry_after: (after.to_i if after =~ /\A\d+\z/) }
rescue StandardError => error
  { error: "#{error.class}: #{error.message}" }
end

printed = result(CLIENTS.fetch(ARGV[0]))
puts printed.to_json
exit printed.key?(:error) ? 1 : 0
